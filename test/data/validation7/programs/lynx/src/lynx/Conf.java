package lynx;

import java.io.FileInputStream;
import java.io.IOException;
import java.util.Properties;

/** lynx.properties; a variable LYNX_NAME of the environment goes before it. */
final class Conf {
    private final Properties p = new Properties();

    Conf() throws IOException {
        try (FileInputStream f = new FileInputStream("/workspace/lynx.properties")) { p.load(f); }
    }

    String get(String name) {
        String e = System.getenv("LYNX_" + name.toUpperCase().replace('.', '_'));
        String v = e != null ? e : p.getProperty(name);
        if (v == null) throw new java.util.NoSuchElementException(name);
        return v;
    }

    int num(String name) { return Integer.parseInt(get(name)); }
    double real(String name) { return Double.parseDouble(get(name)); }
}
