using System;
using System.Collections.Generic;
using System.IO;
using System.Json;
using System.Linq;

namespace Stoat
{
    public sealed class SettingsException : Exception { public SettingsException(string m, Exception e = null) : base(m, e) { } }

    public sealed class Settings
    {
        // training
        public string Name = "clicks"; public int Steps = 50, BatchSize = 48, Dim = 8, Buckets = 1024, Hidden = 16, EvaluateEvery = 20, PaceMs = 200, SlowMs = 1500, KeepKb = 0, LogEvery = 5;
        public double LearningRate = 0.05, ClipNorm = 5.0; public string Mode = "train"; public int Seed = 1;
        // cluster
        public string Coordinator = "localhost:5600"; public int JoinTimeoutSeconds = 25, TimeoutSeconds = 12;
        // feed, metrics, files
        public string Feed = "localhost:5700", Metrics = ""; public string Features = "/mnt/local/data/features.bin";
        public string Directory = "/mnt/dfs/ckpt", Resume = "", Spool = "/mnt/local/snapshots/spool-{0}.bin", Snapshot = "/mnt/local/snapshots/model-{0}.bin"; public int CheckpointEvery = 20, SnapshotEvery = 10;
        public string Hash;

        static readonly string[] Local = { "Metrics", "Features", "Spool", "Snapshot", "LogEvery", "SlowMs", "Coordinator", "Resume" };

        public static Settings Load(string path)
        {
            var s = new Settings();
            JsonValue root;
            try { root = JsonValue.Parse(File.ReadAllText(path)); }
            catch (Exception e) { throw new SettingsException("Failed to load configuration from file '" + path + "'", e); }
            var seen = new List<string>();
            foreach (KeyValuePair<string, JsonValue> section in (JsonObject)root)
            {
                if (section.Key == "Logging") continue;
                foreach (KeyValuePair<string, JsonValue> kv in (JsonObject)section.Value)
                {
                    var f = typeof(Settings).GetField(kv.Key);
                    if (f == null) throw new SettingsException("The key '" + section.Key + ":" + kv.Key + "' of '" + path + "' is not known");
                    try
                    {
                        if (f.FieldType == typeof(int)) f.SetValue(s, (int)kv.Value);
                        else if (f.FieldType == typeof(double)) f.SetValue(s, (double)kv.Value);
                        else f.SetValue(s, (string)kv.Value);
                    }
                    catch (Exception e) { throw new SettingsException("Failed to convert '" + kv.Value.ToString() + "' of '" + section.Key + ":" + kv.Key + "' to type '" + f.FieldType + "'", e); }
                    if (!Local.Contains(kv.Key)) seen.Add(kv.Key + "=" + kv.Value.ToString());
                }
            }
            seen.Sort(StringComparer.Ordinal);
            var b = System.Text.Encoding.UTF8.GetBytes(string.Join(";", seen));
            s.Hash = Net.Wire.Crc(b, b.Length).ToString("x8");
            return s;
        }
    }
}
