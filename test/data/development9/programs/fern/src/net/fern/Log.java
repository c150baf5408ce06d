package net.fern;

import java.io.PrintStream;

/** Console appender: level, thread, short logger name, message; stack traces as the JVM prints them. */
final class Log {
    private static final PrintStream OUT = new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), true);
    private final String name;

    Log(Class<?> c) { name = "n.f." + c.getSimpleName(); }

    private void put(String level, String m, Throwable e) {
        StringBuilder b = new StringBuilder();
        b.append(String.format("%-5s [%s] %s - %s%n", level, Thread.currentThread().getName(), name, m));
        if (e != null) {
            java.io.StringWriter w = new java.io.StringWriter();
            e.printStackTrace(new java.io.PrintWriter(w));
            b.append(w);
        }
        synchronized (OUT) { OUT.print(b); OUT.flush(); }
    }

    void debug(String f, Object... a) { put("DEBUG", String.format(f, a), null); }
    void info(String f, Object... a) { put("INFO", String.format(f, a), null); }
    void warn(String f, Object... a) { put("WARN", String.format(f, a), null); }
    void warn(Throwable e, String f, Object... a) { put("WARN", String.format(f, a), e); }
    void error(String f, Object... a) { put("ERROR", String.format(f, a), null); }
    void error(Throwable e, String f, Object... a) { put("ERROR", String.format(f, a), e); }
}
