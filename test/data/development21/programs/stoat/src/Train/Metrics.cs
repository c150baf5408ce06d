using System;
using System.Collections.Concurrent;
using System.Net;
using System.Text;
using System.Threading;
using Stoat.Logging;

namespace Stoat
{
    public sealed class Metrics
    {
        static readonly Logger Log = new Logger("Stoat.Metrics");
        readonly BlockingCollection<Tuple<int, double>> queue = new BlockingCollection<Tuple<int, double>>();
        readonly string url;

        public Metrics(string url)
        {
            this.url = url;
            new Thread(Run) { IsBackground = true }.Start();
        }

        public void Report(int step, double loss) { queue.Add(Tuple.Create(step, loss)); }

        void Run()
        {
            foreach (var m in queue.GetConsumingEnumerable())
            {
                try
                {
                    var r = (HttpWebRequest)WebRequest.Create(url + "/metrics/" + m.Item1);
                    r.Method = "PUT"; r.Timeout = 3000; r.KeepAlive = false;
                    var b = Encoding.UTF8.GetBytes("{\"loss\":" + m.Item2.ToString("R") + "}");
                    using (var s = r.GetRequestStream()) s.Write(b, 0, b.Length);
                    r.GetResponse().Close();
                }
                catch (Exception e) { Log.Warn(50, "Metrics of step " + m.Item1 + " were not taken", e); }
            }
        }
    }
}
