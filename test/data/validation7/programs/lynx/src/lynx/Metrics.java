package lynx;

import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;

/** A reporter of metrics that is seldom heard, and the event log in the object store. */
final class Metrics {
    static void report(String host, boolean trace) {
        try (Socket s = new Socket()) {
            s.connect(new InetSocketAddress(host, 2003), 1500);
        } catch (IOException e) {
            if (trace) Log.error("GraphiteReporter", "Unable to report to Graphite\n%s", Log.trace(e));
            else Log.warn("GraphiteReporter", "Unable to report to Graphite: %s", e);
        }
    }

    static void events(String host, int iteration) {
        byte[] b = new byte[2100];
        for (int k = 1; k <= 5; k++) {
            try {
                HttpURLConnection c = (HttpURLConnection) URI.create("http://" + host + ":9000/eventlogs/lynx/events_" + iteration).toURL().openConnection();
                c.setConnectTimeout(3000);
                c.setReadTimeout(3000);
                c.setRequestMethod("PUT");
                c.setDoOutput(true);
                try (OutputStream o = c.getOutputStream()) { o.write(b); }
                if (c.getResponseCode() != 200) throw new IOException("Server returned HTTP response code: " + c.getResponseCode());
                Log.info("EventLogWriter", "Rolled event log at iteration %d", iteration);
                return;
            } catch (IOException e) {
                Log.warn("EventLogWriter", "Writing events of iteration %d failed (attempt %d of 5): %s", iteration, k, e.getMessage());
                try { Thread.sleep(150L * k); } catch (InterruptedException i) { return; }
            }
        }
    }
}
