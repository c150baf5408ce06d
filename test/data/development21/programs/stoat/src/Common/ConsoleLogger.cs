using System;
using System.Text;

namespace Stoat.Logging
{
    /// <summary>Writes records as the console provider of the well-known logging extensions does: a line with level, category and
    /// event id, then the message and the exception, indented.</summary>
    public sealed class Logger
    {
        static readonly object Gate = new object();
        readonly string category;

        public Logger(string category) { this.category = category; }

        public void Info(int id, string message) { Write("info", id, message, null); }
        public void Warn(int id, string message, Exception e = null) { Write("warn", id, message, e); }
        public void Fail(int id, string message, Exception e = null) { Write("fail", id, message, e); }
        public void Critical(int id, string message, Exception e = null) { Write("crit", id, message, e); }

        void Write(string level, int id, string message, Exception e)
        {
            var b = new StringBuilder();
            b.Append(DateTime.UtcNow.ToString("HH:mm:ss.fff ")).Append(level).Append(": ").Append(category).Append('[').Append(id).Append("]\n");
            foreach (var l in message.Split('\n')) b.Append("      ").Append(l).Append('\n');
            if (e != null) foreach (var l in e.ToString().Split('\n')) b.Append("      ").Append(l.TrimEnd()).Append('\n');
            lock (Gate) { Console.Out.Write(b.ToString()); Console.Out.Flush(); }
        }
    }
}
