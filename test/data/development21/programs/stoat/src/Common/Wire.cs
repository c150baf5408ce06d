using System;
using System.IO;
using System.Net.Sockets;
using System.Text;

namespace Stoat.Net
{
    public enum Op : short { Hello = 1, Members, Refused, Tensor, Abort, Get, Batch, Busy, Bye, Ready }

    public sealed class Frame
    {
        public Op Op;
        public int Step;
        public byte[] Body;
        public string Text { get { return Encoding.UTF8.GetString(Body); } }
    }

    /// <summary>A TCP connection that carries frames: magic, operation, step, length, checksum.</summary>
    public sealed class Wire : IDisposable
    {
        const uint Magic = 0x53544f41;
        readonly TcpClient client;
        readonly NetworkStream stream;
        public string Name;

        public Wire(TcpClient client, int timeoutMs, string name)
        {
            this.client = client;
            client.NoDelay = true;
            client.ReceiveTimeout = timeoutMs;
            client.SendTimeout = timeoutMs;
            stream = client.GetStream();
            Name = name;
        }

        public static uint Crc(byte[] b, int n)
        {
            uint c = 0xffffffff;
            for (int i = 0; i < n; i++) { c ^= b[i]; for (int k = 0; k < 8; k++) c = (c & 1) != 0 ? (c >> 1) ^ 0xedb88320 : c >> 1; }
            return ~c;
        }

        public int Timeout { set { client.ReceiveTimeout = value; } }

        public void Send(Op op, int step, byte[] body)
        {
            var head = new byte[18];
            BitConverter.GetBytes(Magic).CopyTo(head, 0);
            BitConverter.GetBytes((short)op).CopyTo(head, 4);
            BitConverter.GetBytes(step).CopyTo(head, 6);
            BitConverter.GetBytes(body.Length).CopyTo(head, 10);
            BitConverter.GetBytes(Crc(body, Math.Min(body.Length, 512))).CopyTo(head, 14);
            stream.Write(head, 0, 18);
            stream.Write(body, 0, body.Length);
        }

        public void Send(Op op, int step, string text) { Send(op, step, Encoding.UTF8.GetBytes(text)); }

        void Fill(byte[] b)
        {
            int at = 0;
            while (at < b.Length)
            {
                int n = stream.Read(b, at, b.Length - at);
                if (n == 0) throw new EndOfStreamException("Connection closed by " + Name);
                at += n;
            }
        }

        public Frame Receive()
        {
            var head = new byte[18];
            Fill(head);
            if (BitConverter.ToUInt32(head, 0) != Magic) throw new InvalidDataException("Bad magic in a frame of " + Name);
            var f = new Frame { Op = (Op)BitConverter.ToInt16(head, 4), Step = BitConverter.ToInt32(head, 6) };
            int n = BitConverter.ToInt32(head, 10);
            if (n < 0 || n > 1 << 26) throw new InvalidDataException("Bad length " + n + " in a frame of " + Name);
            f.Body = new byte[n];
            Fill(f.Body);
            if (Crc(f.Body, Math.Min(n, 512)) != BitConverter.ToUInt32(head, 14)) throw new InvalidDataException("Checksum of a frame of " + Name + " does not match");
            return f;
        }

        public void Dispose() { client.Close(); }
    }
}
