package net.fern;

import java.util.Random;

/** Next symbol from the last CTX symbols: embedding, one hidden layer, softmax. Parameters and gradients are flat. */
final class Model {
    static final int CTX = 4;
    final int vocab, hidden, dim = 8;
    final float[] w, g, m;
    private final int oE, oH, oB, oO;
    private final String updater;

    Model(int vocab, int hidden, String updater, long seed) {
        this.vocab = vocab; this.hidden = hidden; this.updater = updater;
        oE = 0; oH = vocab * dim; oB = oH + CTX * dim * hidden; oO = oB + hidden;
        w = new float[oO + hidden * vocab]; g = new float[w.length]; m = new float[w.length];
        Random r = new Random(seed);
        for (int i = 0; i < w.length; i++) w[i] = (float) (r.nextGaussian() * 0.12);
        switch (updater) {
            case "sgd": case "nesterovs": break;
            default: throw new IllegalArgumentException("No enum constant Updater." + updater.toUpperCase());
        }
    }

    double forwardBackward(byte[][] batch, boolean learn) {
        double loss = 0;
        if (learn) java.util.Arrays.fill(g, 0f);
        float[] x = new float[CTX * dim], h = new float[hidden], o = new float[vocab], dh = new float[hidden];
        int n = 0;
        for (byte[] row : batch) for (int t = CTX; t < row.length; t++) {
            n++;
            for (int c = 0; c < CTX; c++) System.arraycopy(w, oE + sym(row[t - CTX + c]) * dim, x, c * dim, dim);
            for (int j = 0; j < hidden; j++) {
                float s = w[oB + j];
                for (int i = 0; i < x.length; i++) s += x[i] * w[oH + i * hidden + j];
                h[j] = (float) Math.tanh(s);
            }
            float mx = -1e30f; double z = 0;
            for (int k = 0; k < vocab; k++) {
                float s = 0;
                for (int j = 0; j < hidden; j++) s += h[j] * w[oO + j * vocab + k];
                o[k] = s; if (s > mx) mx = s;
            }
            for (int k = 0; k < vocab; k++) { o[k] = (float) Math.exp(o[k] - mx); z += o[k]; }
            int y = sym(row[t]);
            loss -= Math.log(o[y] / z);
            if (!learn) continue;
            java.util.Arrays.fill(dh, 0f);
            for (int k = 0; k < vocab; k++) {
                float d = (float) (o[k] / z) - (k == y ? 1f : 0f);
                for (int j = 0; j < hidden; j++) { g[oO + j * vocab + k] += d * h[j]; dh[j] += d * w[oO + j * vocab + k]; }
            }
            for (int j = 0; j < hidden; j++) {
                float d = dh[j] * (1 - h[j] * h[j]);
                g[oB + j] += d;
                for (int i = 0; i < x.length; i++) {
                    g[oH + i * hidden + j] += d * x[i];
                    g[oE + sym(row[t - CTX + i / dim]) * dim + i % dim] += d * w[oH + i * hidden + j];
                }
            }
        }
        if (learn) for (int i = 0; i < g.length; i++) g[i] /= n;
        return loss / n;
    }

    private int sym(byte b) { return (b & 255) % vocab; }

    void update(float[] mean, double lr) {
        for (int i = 0; i < w.length; i++) {
            if (updater.equals("nesterovs")) { m[i] = 0.5f * m[i] + mean[i]; w[i] -= (float) lr * m[i]; } else w[i] -= (float) lr * mean[i];
        }
    }
}
