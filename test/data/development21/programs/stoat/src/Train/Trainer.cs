using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using Stoat.Logging;

namespace Stoat
{
    public sealed class Trainer
    {
        static readonly Logger Log = new Logger("Stoat.Trainer");
        readonly Settings settings; readonly Cluster cluster; readonly Metrics metrics;
        readonly List<byte[]> kept = new List<byte[]>();
        static readonly double[] Schedule = { 1.0, 1.0, 0.8, 0.6, 0.5, 0.4, 0.3 };
        Model model; Features features; FeedClient feed; Spool spool;
        int first = 1;

        public Trainer(Settings settings, Cluster cluster)
        {
            this.settings = settings; this.cluster = cluster;
            if (cluster.Rank == 0 && settings.Metrics != "") metrics = new Metrics(settings.Metrics);
        }

        static string Ms(long t) { return t.ToString(); }

        public void Prepare()
        {
            Status.Set(cluster.Rank, "model", -1, "load");
            model = new Model(settings.Buckets, settings.Dim, settings.Hidden, settings.Seed);
            string last = Path.Combine(settings.Directory, "latest");
            string from = File.Exists(last) ? File.ReadAllText(last).Trim() : settings.Resume;
            if (from != "")
            {
                int step = Checkpoint.Load(Path.Combine(from, "model.bin"), model.Weights, model.Moment);
                if (File.Exists(last)) first = step + 1;
                Log.Info(101, "Loaded " + from + " (step " + step + ")" + (first > 1 ? ", going on with step " + first : ", as initial weights"));
            }
            Status.Set(cluster.Rank, "data", -1, "open");
            features = new Features(settings.Features);
            feed = new FeedClient(settings, cluster.Rank);
            Log.Info(102, features.Count + " items, " + model.Weights.Length + " parameters, " + settings.BatchSize * cluster.World + " events a step");
        }

        public void Run()
        {
            spool = new Spool(string.Format(settings.Spool, cluster.Rank));
            for (int step = first; step <= settings.Steps; step++)
            {
                Step(step);
                if (settings.SnapshotEvery > 0 && step % settings.SnapshotEvery == 0)
                {
                    Status.Set(cluster.Rank, "iter", step, "snapshot");
                    Checkpoint.Save(string.Format(settings.Snapshot, cluster.Rank), model.Weights, model.Moment, step);
                }
                if (step % settings.CheckpointEvery == 0) Save(step);
                if (step % settings.EvaluateEvery == 0) Evaluate(step);
            }
            spool.Close();
            feed.Dispose();
        }

        void Step(int step)
        {
            Status.Set(cluster.Rank, "iter", step, "feed");
            var clock = Stopwatch.StartNew();
            var events = feed.Next(step);
            long a = clock.ElapsedMilliseconds;
            Status.Set(cluster.Rank, "iter", step, "step");
            double loss = 0;
            var dense = new float[Features.Width];
            foreach (var e in events) { features.Read(e.Item, dense); loss += model.Forward(e, dense, true); }
            loss /= events.Length;
            if (double.IsNaN(loss) || double.IsInfinity(loss)) throw new NotFiniteNumberException("Loss of step " + step + " is not finite", loss);
            if (settings.KeepKb > 0) { var b = new byte[settings.KeepKb << 10]; for (int i = 0; i < b.Length; i += 1024) b[i] = (byte)step; kept.Add(b); }
            long left = settings.PaceMs - clock.ElapsedMilliseconds;
            if (left > 0) Thread.Sleep((int)left);
            long c = clock.ElapsedMilliseconds;
            Status.Set(cluster.Rank, "iter", step, "reduce");
            cluster.Sum(model.Gradient, step, "gradients");
            var mean = new[] { (float)loss };
            cluster.Sum(mean, step, "the loss");
            double rate = settings.LearningRate * Schedule[Math.Min(Schedule.Length - 1, step / 10)];
            double norm = model.Apply(rate, settings.ClipNorm, 1.0 / cluster.World / events.Length);
            var line = new byte[events.Length * 40];
            spool.Add(line);
            long d = clock.ElapsedMilliseconds;
            if (step % (cluster.Rank == 0 ? 1 : settings.LogEvery) == 0)
                Log.Info(110, "Step " + step + "/" + settings.Steps + ": loss " + loss.ToString("F4") + ", mean " + (mean[0] / cluster.World).ToString("F4") + ", gradient " + norm.ToString("E2") + ", " + Ms(d) + " ms (feed " + Ms(a) + ", compute " + Ms(c - a) + ", exchange " + Ms(d - c) + ")");
            if (d > settings.SlowMs)
                Log.Warn(111, "Step " + step + " was slow: " + Ms(d) + " ms (feed " + Ms(a) + ", compute " + Ms(c - a) + ", exchange " + Ms(d - c) + ")");
            if (metrics != null && step % 10 == 0) metrics.Report(step, mean[0] / cluster.World);
        }

        void Save(int step)
        {
            Status.Set(cluster.Rank, "iter", step, "save");
            string dir = Path.Combine(settings.Directory, "step-" + step);
            Checkpoint.Save(Path.Combine(dir, "worker-" + cluster.Rank + ".bin"), model.Moment, model.Moment, step);
            if (cluster.Rank == 0) Checkpoint.Save(Path.Combine(dir, "model.bin"), model.Weights, model.Moment, step);
            cluster.Sum(new float[1], step, "the checkpoint's barrier");
            if (cluster.Rank == 0)
            {
                File.WriteAllText(Path.Combine(settings.Directory, "latest"), dir);
                Log.Info(120, "Checkpoint of step " + step + " is in " + dir);
            }
        }

        void Evaluate(int step)
        {
            Status.Set(cluster.Rank, "iter", step, "evaluate");
            double loss = 0; int n = 0;
            var dense = new float[Features.Width];
            foreach (var e in feed.Next(100000 + step)) { features.Read(e.Item, dense); loss += model.Forward(e, dense, false); n++; }
            var s = new[] { (float)loss, n };
            cluster.Sum(s, step, "the evaluation");
            if (cluster.Rank == 0) Log.Info(130, "Evaluation after step " + step + ": log loss " + (s[0] / s[1]).ToString("F4") + " over " + s[1] + " events");
        }

        /// <summary>Scores batches with fixed weights.</summary>
        public void Score()
        {
            double loss = 0; int n = 0;
            var dense = new float[Features.Width];
            for (int batch = 1; batch <= settings.Steps; batch++)
            {
                Status.Set(cluster.Rank, "iter", batch, "score");
                var clock = Stopwatch.StartNew();
                foreach (var e in feed.Next(200000 + batch)) { features.Read(e.Item, dense); loss += model.Forward(e, dense, false); n++; }
                Thread.Sleep((int)Math.Max(0, settings.PaceMs - clock.ElapsedMilliseconds));
                if (batch % 4 == 0)
                {
                    var s = new[] { (float)loss, n };
                    cluster.Sum(s, batch, "the scores");
                    if (cluster.Rank == 0 || batch % 12 == 0) Log.Info(131, "Scored batch " + batch + "/" + settings.Steps + ": log loss " + (s[0] / s[1]).ToString("F4") + ", " + clock.ElapsedMilliseconds + " ms");
                }
            }
            feed.Dispose();
        }
    }
}
