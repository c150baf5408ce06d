package lynx;

import java.util.Random;

/** Next-symbol model: embedding and output matrix in one flat array. */
final class Model {
    final int vocab, hidden;
    final float[] w, g;

    Model(int vocab, int hidden, long seed) {
        this.vocab = vocab;
        this.hidden = hidden;
        w = new float[2 * vocab * hidden];
        g = new float[w.length];
        Random r = new Random(seed);
        for (int i = 0; i < w.length; i++) w[i] = (float) r.nextGaussian() * 0.1f;
    }

    /** Adds the gradient of a row of symbols (one-hot) and returns its mean loss; counts right answers in hits[0]. */
    double row(float[] x, int n, boolean train, int[] hits) {
        double loss = 0;
        float[] p = new float[vocab], dh = new float[hidden];
        int o = vocab * hidden;
        for (int t = 0; t + 1 < n; t++) {
            int a = symbol(x, t), b = symbol(x, t + 1), best = 0;
            double z = 0;
            for (int v = 0; v < vocab; v++) {
                float s = 0;
                for (int h = 0; h < hidden; h++) s += w[a * hidden + h] * w[o + v * hidden + h];
                p[v] = s;
                if (s > p[best]) best = v;
            }
            float m = p[best];
            for (int v = 0; v < vocab; v++) z += p[v] = (float) Math.exp(p[v] - m);
            loss -= Math.log(p[b] / z);
            hits[0] += best == b ? 1 : 0;
            if (!train) continue;
            java.util.Arrays.fill(dh, 0);
            for (int v = 0; v < vocab; v++) {
                float d = (float) (p[v] / z) - (v == b ? 1 : 0);
                for (int h = 0; h < hidden; h++) {
                    dh[h] += d * w[o + v * hidden + h];
                    g[o + v * hidden + h] += d * w[a * hidden + h];
                }
            }
            for (int h = 0; h < hidden; h++) g[a * hidden + h] += dh[h];
        }
        return loss / (n - 1);
    }

    private int symbol(float[] x, int t) {
        for (int v = 0; v < vocab; v++) if (x[t * vocab + v] != 0) return v;
        return 0;
    }
}
