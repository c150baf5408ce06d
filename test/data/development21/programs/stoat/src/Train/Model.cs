using System;

namespace Stoat
{
    /// <summary>Embeddings of hashed fields and dense features of the item, one hidden layer, logistic loss.</summary>
    public sealed class Model
    {
        readonly int buckets, dim, hidden;
        public readonly float[] Weights, Gradient, Moment;
        readonly int w1, b1, w2, size;

        public Model(int buckets, int dim, int hidden, int seed)
        {
            this.buckets = buckets; this.dim = dim; this.hidden = hidden;
            w1 = buckets * dim; b1 = w1 + hidden * (dim + Features.Width); w2 = b1 + hidden; size = w2 + hidden + 1;
            Weights = new float[size]; Gradient = new float[size]; Moment = new float[size];
            var r = new Random(seed);
            for (int i = 0; i < w2 + hidden; i++) Weights[i] = (float)((r.NextDouble() - 0.5) * (i < w1 ? 0.2 : 0.6));
        }

        public double Forward(Event e, float[] dense, bool learn)
        {
            int n = dim + Features.Width;
            var x = new float[n]; var h = new float[hidden];
            foreach (int f in e.Fields) { int o = f % buckets * dim; for (int d = 0; d < dim; d++) x[d] += Weights[o + d]; }
            Array.Copy(dense, 0, x, dim, Features.Width);
            double z = Weights[size - 1];
            for (int j = 0; j < hidden; j++)
            {
                double a = Weights[b1 + j];
                for (int i = 0; i < n; i++) a += Weights[w1 + j * n + i] * x[i];
                h[j] = (float)Math.Tanh(a); z += Weights[w2 + j] * h[j];
            }
            double p = 1 / (1 + Math.Exp(-z));
            double loss = -(e.Label > 0 ? Math.Log(p + 1e-9) : Math.Log(1 - p + 1e-9));
            if (!learn) return loss;
            double g = p - e.Label;
            var gx = new double[n];
            Gradient[size - 1] += (float)g;
            for (int j = 0; j < hidden; j++)
            {
                Gradient[w2 + j] += (float)(g * h[j]);
                double ga = g * Weights[w2 + j] * (1 - h[j] * h[j]);
                Gradient[b1 + j] += (float)ga;
                for (int i = 0; i < n; i++) { Gradient[w1 + j * n + i] += (float)(ga * x[i]); gx[i] += ga * Weights[w1 + j * n + i]; }
            }
            foreach (int f in e.Fields) { int o = f % buckets * dim; for (int d = 0; d < dim; d++) Gradient[o + d] += (float)gx[d]; }
            return loss;
        }

        public double Apply(double rate, double clip, double scale)
        {
            double n = 0;
            for (int i = 0; i < size; i++) { Gradient[i] *= (float)scale; n += (double)Gradient[i] * Gradient[i]; }
            n = Math.Sqrt(n);
            double c = clip > 0 && n > clip ? clip / n : 1;
            for (int i = 0; i < size; i++) { Moment[i] = 0.9f * Moment[i] + (float)(c * Gradient[i]); Weights[i] -= (float)(rate * Moment[i]); Gradient[i] = 0; }
            return n;
        }
    }
}
