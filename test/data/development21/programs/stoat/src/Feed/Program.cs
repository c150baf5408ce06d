using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using Stoat.Logging;
using Stoat.Net;

namespace Stoat.Feed
{
    /// <summary>Hands out events to the workers: feed.exe FILE PORT WORLD</summary>
    public static class Program
    {
        static readonly Logger Log = new Logger("Stoat.Feeder");
        static string[] lines;
        static int open, served, world;
        static DateTime quiet = DateTime.UtcNow;
        static readonly Random Rnd = new Random();

        public static int Main(string[] args)
        {
            world = int.Parse(args[2]);
            lines = File.ReadAllLines(args[0]);
            var l = new TcpListener(IPAddress.Any, int.Parse(args[1]));
            l.Start();
            Log.Info(1, lines.Length + " events of " + args[0] + ", serving on port " + args[1]);
            new Thread(() => { while (true) { var c = l.AcceptTcpClient(); new Thread(() => Serve(c)) { IsBackground = true }.Start(); } }) { IsBackground = true }.Start();
            while (true)
            {
                Thread.Sleep(500);
                var idle = DateTime.UtcNow - quiet;
                if (Volatile.Read(ref open) > 0) quiet = DateTime.UtcNow;
                else if (served > 0 && idle.TotalSeconds > 4 || idle.TotalSeconds > 60) { Log.Info(3, "No workers any more, " + served + " requests were served"); return 0; }
            }
        }

        static void Serve(TcpClient c)
        {
            string name = "?";
            Interlocked.Increment(ref open);
            try
            {
                var w = new Wire(c, 20000, "a worker");
                name = w.Receive().Text;
                Log.Info(2, name + " connected from " + ((IPEndPoint)c.Client.RemoteEndPoint).Address);
                while (true)
                {
                    var f = w.Receive();
                    if (f.Op == Op.Bye) { Log.Info(4, name + " is done"); break; }
                    int busy; lock (Rnd) busy = Rnd.Next(150);
                    if (busy == 0) { w.Send(Op.Busy, f.Step, ""); continue; }
                    var a = f.Text.Split(' ');
                    int rank = int.Parse(a[0]), n = int.Parse(a[1]);
                    var b = new StringBuilder();
                    long at = ((long)f.Step * world + rank) * n;
                    for (int k = 0; k < n; k++) { if (k > 0) b.Append('\n'); b.Append(lines[(at + k) % lines.Length]); }
                    w.Send(Op.Batch, f.Step, b.ToString());
                    Interlocked.Increment(ref served);
                }
            }
            catch (Exception e) { Log.Warn(5, "Connection of " + name + " ended: " + e.Message); }
            Interlocked.Decrement(ref open);
            c.Close();
        }
    }
}
