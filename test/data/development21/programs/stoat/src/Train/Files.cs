using System;
using System.Collections.Concurrent;
using System.IO;
using System.Threading;
using Stoat.Logging;
using Stoat.Net;

namespace Stoat
{
    public static class Checkpoint
    {
        public static void Save(string path, float[] a, float[] b, int step)
        {
            System.IO.Directory.CreateDirectory(Path.GetDirectoryName(path));
            var body = new byte[8 + a.Length * 8];
            BitConverter.GetBytes(step).CopyTo(body, 0);
            BitConverter.GetBytes(a.Length).CopyTo(body, 4);
            Buffer.BlockCopy(a, 0, body, 8, a.Length * 4);
            Buffer.BlockCopy(b, 0, body, 8 + a.Length * 4, a.Length * 4);
            using (var f = new FileStream(path + ".tmp", FileMode.Create, FileAccess.Write))
            {
                f.Write(body, 0, body.Length);
                f.Write(BitConverter.GetBytes(Wire.Crc(body, body.Length)), 0, 4);
                f.Flush(true);
            }
            if (File.Exists(path)) File.Delete(path);
            File.Move(path + ".tmp", path);
        }

        public static int Load(string path, float[] a, float[] b)
        {
            var all = File.ReadAllBytes(path);
            if (all.Length != 12 + a.Length * 8) throw new InvalidDataException("'" + path + "' has " + all.Length + " bytes, but the model needs " + (12 + a.Length * 8));
            if (Wire.Crc(all, all.Length - 4) != BitConverter.ToUInt32(all, all.Length - 4)) throw new InvalidDataException("Checksum of '" + path + "' does not match");
            Buffer.BlockCopy(all, 8, a, 0, a.Length * 4);
            Buffer.BlockCopy(all, 8 + a.Length * 4, b, 0, a.Length * 4);
            return BitConverter.ToInt32(all, 0);
        }
    }

    /// <summary>Appends what was learned from to a file on the local disk, in a thread of its own; some steps may wait in the queue.</summary>
    public sealed class Spool
    {
        static readonly Logger Log = new Logger("Stoat.Spool");
        readonly BlockingCollection<byte[]> queue = new BlockingCollection<byte[]>(4);
        readonly Thread thread;

        public Spool(string path)
        {
            System.IO.Directory.CreateDirectory(Path.GetDirectoryName(path));
            thread = new Thread(() => Run(path)) { IsBackground = true, Name = "spool" };
            thread.Start();
        }

        void Run(string path)
        {
            try
            {
                using (var f = new FileStream(path, FileMode.Append, FileAccess.Write))
                    foreach (var b in queue.GetConsumingEnumerable()) { f.Write(b, 0, b.Length); f.Flush(true); }
            }
            catch (Exception e) { Log.Fail(40, "The writer of " + path + " ended", e); }
        }

        public void Add(byte[] b) { queue.Add(b); }
        public void Close() { queue.CompleteAdding(); thread.Join(3000); }
    }
}
