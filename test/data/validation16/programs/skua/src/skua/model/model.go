// Package model predicts a token from the two before it.
package model

import (
	"math"
	"math/rand"
)

type Model struct {
	V, D, H        int
	Params         []float32
	emb, w1, w2, b []float32
}

func New(v, d, h int, seed int64) *Model {
	m := &Model{V: v, D: d, H: h}
	n := v*d + 2*d*h + h*v + v
	m.Params = make([]float32, n)
	r := rand.New(rand.NewSource(seed))
	for i := 0; i < n-v; i++ {
		m.Params[i] = float32(r.NormFloat64() * 0.08)
	}
	m.emb, m.w1, m.w2, m.b = m.views(m.Params)
	return m
}

func (m *Model) views(p []float32) (a, b, c, d []float32) {
	k1 := m.V * m.D
	k2 := k1 + 2*m.D*m.H
	k3 := k2 + m.H*m.V
	return p[:k1], p[k1:k2], p[k2:k3], p[k3:]
}

// Loss of the tokens; gradients are added to grad when it is not nil.
func (m *Model) Loss(tokens []uint16, grad []float32) float64 {
	var ge, g1, g2, gb []float32
	if grad != nil {
		ge, g1, g2, gb = m.views(grad)
	}
	x, dx := make([]float32, 2*m.D), make([]float32, 2*m.D)
	h, dh := make([]float32, m.H), make([]float32, m.H)
	z := make([]float32, m.V)
	total := 0.0
	for t := 2; t < len(tokens); t++ {
		for k := 0; k < 2; k++ {
			id := int(tokens[t-2+k])
			copy(x[k*m.D:(k+1)*m.D], m.emb[id*m.D:(id+1)*m.D:m.V*m.D])
		}
		for j := 0; j < m.H; j++ {
			s := float32(0)
			for i, v := range x {
				s += v * m.w1[i*m.H+j]
			}
			h[j] = float32(math.Tanh(float64(s)))
		}
		copy(z, m.b)
		for j := 0; j < m.H; j++ {
			w := m.w2[j*m.V : (j+1)*m.V]
			for i := range z {
				z[i] += h[j] * w[i]
			}
		}
		top := z[0]
		for _, v := range z {
			if v > top {
				top = v
			}
		}
		sum := 0.0
		for i, v := range z {
			e := math.Exp(float64(v - top))
			z[i] = float32(e)
			sum += e
		}
		y := int(tokens[t])
		total -= math.Log(float64(z[y])/sum + 1e-30)
		if grad == nil {
			continue
		}
		for i := range z {
			z[i] /= float32(sum)
		}
		z[y]--
		for j := 0; j < m.H; j++ {
			w, g := m.w2[j*m.V:(j+1)*m.V], g2[j*m.V:(j+1)*m.V]
			s := float32(0)
			for i, d := range z {
				s += d * w[i]
				g[i] += d * h[j]
			}
			dh[j] = s * (1 - h[j]*h[j])
		}
		for i, d := range z {
			gb[i] += d
		}
		for i := range x {
			s := float32(0)
			for j, d := range dh {
				s += d * m.w1[i*m.H+j]
				g1[i*m.H+j] += d * x[i]
			}
			dx[i] = s
		}
		for k := 0; k < 2; k++ {
			id := int(tokens[t-2+k])
			for i := 0; i < m.D; i++ {
				ge[id*m.D+i] += dx[k*m.D+i]
			}
		}
	}
	return total / float64(len(tokens)-2)
}
