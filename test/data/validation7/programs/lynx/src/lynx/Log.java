package lynx;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;

/** Records in the layout of a well-known engine: {@code 26/11/25 22:11:33 WARN TaskSetManager: ..}; stack traces follow. */
final class Log {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yy/MM/dd HH:mm:ss");

    static synchronized void write(String level, String who, String text) {
        System.err.println(TIME.format(LocalDateTime.now()) + " " + level + " " + who + ": " + text);
    }

    static void info(String who, String f, Object... a) { write("INFO", who, String.format(f, a)); }
    static void warn(String who, String f, Object... a) { write("WARN", who, String.format(f, a)); }
    static void error(String who, String f, Object... a) { write("ERROR", who, String.format(f, a)); }

    static String trace(Throwable e) {
        StringWriter s = new StringWriter();
        e.printStackTrace(new PrintWriter(s, true));
        return s.toString().stripTrailing();
    }
}
