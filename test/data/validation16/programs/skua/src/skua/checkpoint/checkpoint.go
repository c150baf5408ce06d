// Package checkpoint keeps the state in two tiers: the node's disk, and the shared folder, where a step is committed by a rename.
package checkpoint

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"go.uber.org/zap"
	"skua/coord"
)

type Manager struct {
	Dir, Local string
	Timeout    time.Duration
	Agent      *coord.Agent
	Log        *zap.Logger
}

func write(path string, v []float32) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	var b [4]byte
	for _, x := range v {
		binary.LittleEndian.PutUint32(b[:], math.Float32bits(x))
		if _, err := w.Write(b[:]); err != nil {
			f.Close()
			return err
		}
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func read(path string, v []float32) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(b) != 4*len(v) {
		return fmt.Errorf("%s: size %d, expected %d", path, len(b), 4*len(v))
	}
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return nil
}

// Save writes this process's part; all processes take part.
func (m *Manager) Save(step int, params []float32, phase func(string)) error {
	t := time.Now()
	phase("local")
	local := fmt.Sprintf("%s/emergency_%d.bin", m.Local, step)
	if err := write(local, params); err != nil {
		return fmt.Errorf("emergency checkpoint: %w", err)
	}
	phase("shared")
	tmp := fmt.Sprintf("%s/%d.checkpoint-tmp", m.Dir, step)
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		return fmt.Errorf("persistent checkpoint: %w", err)
	}
	n := m.Agent.N
	k := m.Agent.Task
	if err := write(fmt.Sprintf("%s/process_%d.bin", tmp, k), params[k*len(params)/n:(k+1)*len(params)/n]); err != nil {
		return fmt.Errorf("persistent checkpoint: %w", err)
	}
	phase("barrier")
	if err := m.Agent.Barrier(fmt.Sprintf("checkpoint:%d", step), m.Timeout); err != nil {
		return fmt.Errorf("waiting for all processes to write step %d: %w", step, err)
	}
	if k == 0 {
		if err := os.Rename(tmp, fmt.Sprintf("%s/%d", m.Dir, step)); err != nil {
			return fmt.Errorf("commit: %w", err)
		}
		m.Log.Info("finished saving checkpoint (finalized tmp dir)", zap.Int("step", step), zap.String("path", fmt.Sprintf("%s/%d", m.Dir, step)), zap.Float64("seconds", math.Round(1e3*time.Since(t).Seconds())/1e3))
	}
	os.Remove(local)
	return nil
}

// Restore reads the latest committed step of dir, 0 when there is none.
func (m *Manager) Restore(dir string, params []float32) (int, error) {
	all, _ := filepath.Glob(dir + "/*")
	last := -1
	for _, p := range all {
		if k, err := strconv.Atoi(filepath.Base(p)); err == nil && k > last {
			last = k
		}
	}
	if last < 0 {
		return 0, nil
	}
	parts, _ := filepath.Glob(fmt.Sprintf("%s/%d/process_*.bin", dir, last))
	n := len(parts)
	for k := 0; k < n; k++ {
		if err := read(fmt.Sprintf("%s/%d/process_%d.bin", dir, last, k), params[k*len(params)/n:(k+1)*len(params)/n]); err != nil {
			return 0, fmt.Errorf("restoring step %d: %w", last, err)
		}
	}
	m.Log.Info("restored checkpoint", zap.Int("step", last), zap.String("directory", dir), zap.Int("parts", n))
	return last, nil
}
