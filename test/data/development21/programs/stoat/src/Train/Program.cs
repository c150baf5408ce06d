using System;
using System.Diagnostics;
using System.IO;
using System.Net;
using Stoat.Logging;

namespace Stoat
{
    /// <summary>State of this process for the site's monitoring (one small file).</summary>
    public static class Status
    {
        static readonly int Pid = Process.GetCurrentProcess().Id;
        public static void Set(int rank, string stage, int step, string phase)
        {
            try
            {
                string p = "/run/rr/.rank-" + rank;
                File.WriteAllText(p, stage + " " + step + " " + phase + " " + Pid);
                Mono.Unix.Rename(p, "/run/rr/rank-" + rank);
            }
            catch (Exception) { }
        }
    }

    public static class Program
    {
        static readonly Logger Log = new Logger("Stoat.Program");

        public static int Main(string[] args)
        {
            int rank = int.Parse(args[0]), world = int.Parse(args[1]);
            Status.Set(rank, "init", -1, "start");
            Cluster cluster = null;
            try
            {
                Log.Info(1, "Stoat " + Cluster.Version + ", worker-" + rank + " of " + world + " on " + Dns.GetHostName() + ", runtime " + Environment.Version + ", process " + Process.GetCurrentProcess().Id);
                if (Environment.GetEnvironmentVariable("STOAT_ACCELERATOR") == null) Log.Warn(2, "No accelerator configured, computing on the processor");
                var settings = Settings.Load("appsettings.json");
                cluster = new Cluster(settings, rank, world);
                cluster.Join();
                var trainer = new Trainer(settings, cluster);
                trainer.Prepare();
                if (settings.Mode == "score") trainer.Score(); else trainer.Run();
                Log.Info(3, "Application is shutting down...");
                cluster.Dispose();
                return 0;
            }
            catch (ClusterException e)
            {
                Log.Critical(4, "worker-" + rank + " terminates", e);
                if (cluster != null) cluster.Abort(e.Message);
                Environment.Exit(3);
            }
            catch (Exception e)
            {
                Log.Critical(5, "Unhandled exception. worker-" + rank + " terminates", e);
                if (cluster != null) cluster.Abort(e.GetType().Name + ": " + e.Message);
                Environment.Exit(1);
            }
            return 1;
        }
    }
}

namespace Mono
{
    static class Unix
    {
        [System.Runtime.InteropServices.DllImport("libc.so.6", EntryPoint = "rename")]
        public static extern int Rename(string a, string b);
    }
}
