using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using Stoat.Logging;
using Stoat.Net;

namespace Stoat
{
    public sealed class ClusterException : Exception { public ClusterException(string m, Exception e = null) : base(m, e) { } }

    /// <summary>All ranks, joined through rank 0. Sums go over a hypercube: in round k a rank exchanges with the one whose number differs in bit k.</summary>
    public sealed class Cluster : IDisposable
    {
        static readonly Logger Log = new Logger("Stoat.Cluster");
        public const string Version = "2.3.0";
        public readonly int Rank, World, Rounds;
        readonly Settings settings;
        readonly Wire[] peers;
        readonly string[] hosts;
        byte[] outgoing = new byte[0];

        public Cluster(Settings settings, int rank, int world)
        {
            this.settings = settings; Rank = rank; World = world;
            while (1 << Rounds < world) Rounds++;
            if (1 << Rounds != world) throw new ClusterException("The number of ranks must be a power of two, not " + world);
            peers = new Wire[Rounds]; hosts = new string[world];
        }

        string Peer(int r) { return "worker-" + r + " (" + (hosts[r] ?? "?") + ")"; }

        public void Join()
        {
            var listener = new TcpListener(IPAddress.Any, 0);
            listener.Start();
            string me = Rank + " " + Dns.GetHostName() + " " + ((IPEndPoint)listener.LocalEndpoint).Port + " " + Version + " " + settings.Hash;
            string[] members = Rank == 0 ? Coordinate(me) : Ask(me);
            foreach (var m in members) { var f = m.Split(' '); hosts[int.Parse(f[0])] = f[1]; }
            var ports = members.ToDictionary(m => int.Parse(m.Split(' ')[0]), m => int.Parse(m.Split(' ')[2]));
            int t = settings.TimeoutSeconds * 1000;
            for (int k = 0; k < Rounds; k++)
            {
                int p = Rank ^ (1 << k);
                if (p < Rank)
                {
                    var c = Connect(hosts[p], ports[p], t, Peer(p));
                    peers[k] = new Wire(c, t, Peer(p));
                    peers[k].Send(Op.Hello, 0, Rank.ToString());
                }
            }
            var end = DateTime.UtcNow.AddMilliseconds(t);
            while (peers.Any(w => w == null))
            {
                if (!listener.Pending())
                {
                    if (DateTime.UtcNow > end)
                        throw new ClusterException("No connection from " + string.Join(", ", Enumerable.Range(0, Rounds).Where(k => peers[k] == null).Select(k => Peer(Rank ^ (1 << k)))) + " within " + settings.TimeoutSeconds + " s");
                    Thread.Sleep(5); continue;
                }
                var w = new Wire(listener.AcceptTcpClient(), t, "?");
                int r = int.Parse(w.Receive().Text);
                w.Name = Peer(r);
                for (int k = 0; k < Rounds; k++) if ((Rank ^ (1 << k)) == r) peers[k] = w;
            }
            listener.Stop();
            Log.Info(10, "Joined as " + Rank + " of " + World + ", neighbours: " + string.Join(", ", peers.Select(w => w.Name)));
        }

        static TcpClient Connect(string host, int port, int ms, string name)
        {
            var c = new TcpClient();
            var a = c.BeginConnect(host, port, null, null);
            if (!a.AsyncWaitHandle.WaitOne(ms)) { c.Close(); throw new TimeoutException("Connecting to " + name + " at " + host + ":" + port + " timed out"); }
            c.EndConnect(a);
            return c;
        }

        string[] Coordinate(string me)
        {
            int port = int.Parse(settings.Coordinator.Split(':')[1]);
            var l = new TcpListener(IPAddress.Any, port);
            l.Start();
            Log.Info(11, "Coordinator listens on port " + port + ", waiting for " + (World - 1) + " workers");
            var got = new Dictionary<int, Wire>();
            var members = new List<string> { me };
            var end = DateTime.UtcNow.AddSeconds(settings.JoinTimeoutSeconds);
            while (got.Count < World - 1)
            {
                if (DateTime.UtcNow > end)
                {
                    var missing = Enumerable.Range(1, World - 1).Where(r => !got.ContainsKey(r)).ToArray();
                    var why = "Only " + (got.Count + 1) + " of " + World + " workers joined within " + settings.JoinTimeoutSeconds + " s, missing: " + string.Join(", ", missing.Select(r => "worker-" + r));
                    foreach (var w in got.Values) try { w.Send(Op.Refused, 0, why); } catch (IOException) { }
                    throw new ClusterException(why);
                }
                if (!l.Pending()) { Thread.Sleep(5); continue; }
                var c = new Wire(l.AcceptTcpClient(), 5000, "a worker");
                var hello = c.Receive().Text;
                var f = hello.Split(' ');
                string bad = f[3] != Version ? "worker-" + f[0] + " (" + f[1] + ") runs version " + f[3] + ", this is " + Version
                    : f[4] != settings.Hash ? "Settings of worker-" + f[0] + " (" + f[1] + ") differ from those of worker-0: " + f[4] + " is not " + settings.Hash : null;
                if (bad != null)
                {
                    c.Send(Op.Refused, 0, bad);
                    foreach (var w in got.Values) try { w.Send(Op.Refused, 0, bad); } catch (IOException) { }
                    throw new ClusterException(bad);
                }
                got[int.Parse(f[0])] = c;
                members.Add(hello);
            }
            foreach (var w in got.Values) w.Send(Op.Members, 0, string.Join("\n", members));
            l.Stop();
            return members.ToArray();
        }

        string[] Ask(string me)
        {
            var at = settings.Coordinator.Split(':');
            var end = DateTime.UtcNow.AddSeconds(settings.JoinTimeoutSeconds);
            for (int n = 1; ; n++)
            {
                try
                {
                    var w = new Wire(Connect(at[0], int.Parse(at[1]), 5000, "the coordinator"), (settings.JoinTimeoutSeconds + 5) * 1000, "the coordinator");
                    w.Send(Op.Hello, 0, me);
                    var f = w.Receive();
                    if (f.Op == Op.Refused) throw new ClusterException("Refused by the coordinator: " + f.Text);
                    return f.Text.Split('\n');
                }
                catch (Exception e) when (e is SocketException || e is TimeoutException)
                {
                    if (DateTime.UtcNow > end) throw new ClusterException("The coordinator " + settings.Coordinator + " was not reached within " + settings.JoinTimeoutSeconds + " s", e);
                    if (n % 8 == 1) Log.Warn(12, "Coordinator " + settings.Coordinator + " not reached yet (" + e.Message + "), attempt " + n);
                    Thread.Sleep(400);
                }
            }
        }

        /// <summary>Sums over all ranks, in place.</summary>
        public void Sum(float[] x, int step, string what)
        {
            int n = x.Length * 4;
            if (outgoing.Length != n) outgoing = new byte[n];
            for (int k = 0; k < Rounds; k++)
            {
                Buffer.BlockCopy(x, 0, outgoing, 0, n);
                Frame f;
                try
                {
                    if ((Rank & (1 << k)) == 0) { peers[k].Send(Op.Tensor, step, outgoing); f = peers[k].Receive(); }
                    else { f = peers[k].Receive(); peers[k].Send(Op.Tensor, step, outgoing); }
                }
                catch (Exception e) when (e is IOException || e is SocketException)
                {
                    throw new ClusterException("Exchange of " + what + " with " + peers[k].Name + " failed in round " + k + " of step " + step, e);
                }
                if (f.Op == Op.Abort) throw new ClusterException(peers[k].Name + " gave up: " + f.Text);
                if (f.Step != step || f.Body.Length != n) throw new ClusterException("Unexpected frame of " + peers[k].Name + ": step " + f.Step + ", " + f.Body.Length + " bytes, but " + step + ", " + n);
                var y = new float[x.Length];
                Buffer.BlockCopy(f.Body, 0, y, 0, n);
                for (int i = 0; i < x.Length; i++) x[i] += y[i];
            }
        }

        public void Abort(string why)
        {
            foreach (var w in peers) if (w != null) try { w.Send(Op.Abort, 0, why); } catch (Exception) { }
        }

        public void Dispose() { foreach (var w in peers) if (w != null) w.Dispose(); }
    }
}
