using System;
using System.Globalization;
using System.IO;
using System.Net.Sockets;
using System.Threading;
using Stoat.Logging;
using Stoat.Net;

namespace Stoat
{
    public struct Event { public float Label; public int[] Fields; public int Item; }

    /// <summary>Gets the events of each step from the feeder.</summary>
    public sealed class FeedClient : IDisposable
    {
        static readonly Logger Log = new Logger("Stoat.Feed");
        readonly Settings settings; readonly int rank;
        Wire wire;

        public FeedClient(Settings settings, int rank) { this.settings = settings; this.rank = rank; }

        void Open()
        {
            var at = settings.Feed.Split(':');
            var c = new TcpClient();
            var a = c.BeginConnect(at[0], int.Parse(at[1]), null, null);
            if (!a.AsyncWaitHandle.WaitOne(4000)) { c.Close(); throw new TimeoutException("Connecting to the feeder at " + settings.Feed + " timed out"); }
            c.EndConnect(a);
            wire = new Wire(c, settings.TimeoutSeconds * 1000, "the feeder");
            wire.Send(Op.Hello, 0, "worker-" + rank);
        }

        public Event[] Next(int step)
        {
            for (int n = 1; ; n++)
            {
                try
                {
                    if (wire == null) Open();
                    wire.Send(Op.Get, step, rank + " " + settings.BatchSize);
                    var f = wire.Receive();
                    if (f.Op == Op.Busy) { Log.Warn(30, "Feeder is busy, asking again for step " + step); Thread.Sleep(50 * n); continue; }
                    return Parse(f.Text, step);
                }
                catch (Exception e) when (e is IOException || e is SocketException || e is TimeoutException)
                {
                    if (wire != null) { wire.Dispose(); wire = null; }
                    if (n >= 4) throw new IOException("Feeder " + settings.Feed + " gave no events for step " + step + " in " + n + " attempts", e);
                    Log.Warn(31, "Attempt " + n + " to get the events of step " + step + " failed: " + e.Message);
                    Thread.Sleep(500 * n);
                }
            }
        }

        static Event[] Parse(string text, int step)
        {
            var lines = text.Split('\n');
            var r = new Event[lines.Length];
            for (int i = 0; i < r.Length; i++)
            {
                var c = lines[i].Split(',');
                r[i].Label = float.Parse(c[0], CultureInfo.InvariantCulture);
                r[i].Item = int.Parse(c[1], CultureInfo.InvariantCulture);
                r[i].Fields = new int[6];
                for (int k = 0; k < 6; k++) r[i].Fields[k] = int.Parse(c[2 + k], NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture);
            }
            return r;
        }

        public void Dispose() { if (wire != null) { try { wire.Send(Op.Bye, 0, ""); } catch (Exception) { } wire.Dispose(); } }
    }
}
