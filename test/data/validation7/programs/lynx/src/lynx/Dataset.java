package lynx;

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A partition of text lines, kept in memory as one-hot rows. */
final class Dataset {
    static final int WIDTH = 24;
    final List<float[]> rows = new ArrayList<>();

    Dataset(String path, int vocab, int partition) throws IOException {
        Log.info("HadoopRDD", "Input split: file:%s:0+%d", path, new java.io.File(path).length());
        try (BufferedReader in = new BufferedReader(new FileReader(path))) {
            for (String l = in.readLine(); l != null; l = in.readLine()) {
                String s = l.substring(l.indexOf('\t') + 1);
                float[] x = new float[WIDTH * vocab];
                for (int t = 0; t < WIDTH; t++) x[t * vocab + (s.charAt(t) - ' ')] = 1;
                rows.add(x);
            }
        }
        Runtime r = Runtime.getRuntime();
        Log.info("MemoryStore", "Block rdd_3_%d stored as values in memory (estimated size %.1f MB, free %.1f MB)", partition, rows.size() * 4.0 * WIDTH * vocab / 1e6, (r.maxMemory() - r.totalMemory() + r.freeMemory()) / 1e6);
    }

    float[] row(long k) { return rows.get((int) (k % rows.size())); }
}
