// Package mesh joins the processes to a torus of two axes and sums over it, axis after axis, by rings.
package mesh

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"time"

	"go.uber.org/zap"
	"skua/coord"
)

type axis struct {
	name       string
	size, pos  int
	next, prev int
	out, in    net.Conn
	wait       time.Duration
}

type Mesh struct {
	axes    []*axis
	timeout time.Duration
}

// Error is a failure of a collective.
type Error struct {
	Op, Axis string
	Peer     int
	Addr     net.Addr
	Err      error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s on axis %q failed: peer process %d (%s): %v", e.Op, e.Axis, e.Peer, e.Addr, e.Err)
}
func (e *Error) Unwrap() error { return e.Err }

func New(a *coord.Agent, shape [2]int, host string, timeout time.Duration, log *zap.Logger) (*Mesh, error) {
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	if err := a.Set(fmt.Sprintf("mesh/%d", a.Task), l.Addr().String()); err != nil {
		return nil, err
	}
	x, y := a.Task%shape[0], a.Task/shape[0]
	m := &Mesh{timeout: timeout}
	at := func(x, y int) int { return (y+shape[1])%shape[1]*shape[0] + (x+shape[0])%shape[0] }
	if shape[0] > 1 {
		m.axes = append(m.axes, &axis{name: "x", size: shape[0], pos: x, next: at(x+1, y), prev: at(x-1, y)})
	}
	if shape[1] > 1 {
		m.axes = append(m.axes, &axis{name: "y", size: shape[1], pos: y, next: at(x, y+1), prev: at(x, y-1)})
	}
	for k, ax := range m.axes {
		addr, err := a.Get(fmt.Sprintf("mesh/%d", ax.next), 30*time.Second)
		if err != nil {
			return nil, fmt.Errorf("address of process %d: %w", ax.next, err)
		}
		if ax.out, err = net.DialTimeout("tcp", addr, 15*time.Second); err != nil {
			return nil, fmt.Errorf("connecting to process %d: %w", ax.next, err)
		}
		if err := binary.Write(ax.out, binary.LittleEndian, [2]int32{int32(k), int32(a.Task)}); err != nil {
			return nil, err
		}
	}
	for range m.axes {
		l.(*net.TCPListener).SetDeadline(time.Now().Add(30 * time.Second))
		c, err := l.Accept()
		if err != nil {
			return nil, fmt.Errorf("waiting for neighbours: %w", err)
		}
		var h [2]int32
		if err := binary.Read(c, binary.LittleEndian, &h); err != nil {
			return nil, err
		}
		if int(h[0]) >= len(m.axes) || m.axes[h[0]].prev != int(h[1]) {
			return nil, fmt.Errorf("process %d is no neighbour of process %d on axis %d", h[1], a.Task, h[0])
		}
		m.axes[h[0]].in = c
	}
	for _, ax := range m.axes {
		log.Info("ring formed", zap.String("axis", ax.name), zap.Int("size", ax.size), zap.Int("next", ax.next), zap.Stringer("next_addr", ax.out.RemoteAddr()), zap.Int("prev", ax.prev), zap.Stringer("prev_addr", ax.in.RemoteAddr()))
	}
	return m, nil
}

func (m *Mesh) exchange(op string, ax *axis, send, recv []float32) error {
	done := make(chan error, 1)
	go func() {
		b := make([]byte, 4*len(send))
		for i, v := range send {
			binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(v))
		}
		ax.out.SetWriteDeadline(time.Now().Add(m.timeout))
		_, err := ax.out.Write(b)
		done <- err
	}()
	b := make([]byte, 4*len(recv))
	t := time.Now()
	ax.in.SetReadDeadline(t.Add(m.timeout))
	if _, err := io.ReadFull(ax.in, b); err != nil {
		return &Error{op, ax.name, ax.prev, ax.in.RemoteAddr(), err}
	}
	ax.wait += time.Since(t)
	for i := range recv {
		recv[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	if err := <-done; err != nil {
		return &Error{op, ax.name, ax.next, ax.out.RemoteAddr(), err}
	}
	return nil
}

// AllReduce sums v over all processes.
func (m *Mesh) AllReduce(v []float32) error {
	for _, ax := range m.axes {
		n := ax.size
		part := func(k int) []float32 {
			k = (k%n + n) % n
			return v[k*len(v)/n : (k+1)*len(v)/n]
		}
		buf := make([]float32, len(v)/n+1)
		for s := 0; s < n-1; s++ {
			dst := part(ax.pos - s - 1)
			if err := m.exchange("reduce-scatter", ax, part(ax.pos-s), buf[:len(dst)]); err != nil {
				return err
			}
			for i := range dst {
				dst[i] += buf[i]
			}
		}
		for s := 0; s < n-1; s++ {
			if err := m.exchange("all-gather", ax, part(ax.pos+1-s), part(ax.pos-s)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Waits returns, and sets back, how long each axis waited for its previous process.
func (m *Mesh) Waits() (f []zap.Field) {
	for _, ax := range m.axes {
		f = append(f, zap.Int64("recv_wait_"+ax.name+"_ms", ax.wait.Milliseconds()))
		ax.wait = 0
	}
	return f
}
