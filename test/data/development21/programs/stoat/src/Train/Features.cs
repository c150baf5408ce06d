using System;
using System.IO;
using Stoat.Net;

namespace Stoat
{
    /// <summary>Dense features of the items, on the local disk: records of 8 floats and a checksum.</summary>
    public sealed class Features : IDisposable
    {
        public const int Width = 8, Record = Width * 4 + 4;
        readonly string path;
        readonly FileStream file;
        public readonly int Count;

        public Features(string path)
        {
            this.path = path;
            file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, Record);
            Count = (int)(file.Length / Record);
        }

        public void Read(int item, float[] into)
        {
            var b = new byte[Record];
            file.Seek((long)item * Record, SeekOrigin.Begin);
            int at = 0;
            while (at < Record) { int n = file.Read(b, at, Record - at); if (n == 0) throw new EndOfStreamException("Item " + item + " is past the end of " + path); at += n; }
            if (Wire.Crc(b, Width * 4) != BitConverter.ToUInt32(b, Width * 4)) throw new InvalidDataException("Checksum of item " + item + " in " + path + " does not match");
            Buffer.BlockCopy(b, 0, into, 0, Width * 4);
        }

        public void Dispose() { file.Dispose(); }
    }
}
