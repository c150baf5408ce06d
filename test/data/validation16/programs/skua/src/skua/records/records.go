// Package records reads memory-mapped files of records with checksums.
package records

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand"
	"os"
	"path/filepath"
	"sort"
	"syscall"
)

var table = crc32.MakeTable(crc32.Castagnoli)

type file struct {
	path    string
	data    []byte
	offsets []int
}

type Source struct {
	files []*file
	place [][2]int
}

// Info is what the shared manifest tells.
type Info struct {
	Name   string   `json:"name"`
	Splits []string `json:"splits"`
	Tokens int      `json:"vocab_size"`
}

func Manifest(path string) (*Info, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading dataset manifest: %w", err)
	}
	i := new(Info)
	return i, json.Unmarshal(b, i)
}

func Open(dir, split string, seed int64) (*Source, error) {
	names, _ := filepath.Glob(dir + "/" + split + "-*.rec")
	sort.Strings(names)
	if len(names) == 0 {
		return nil, fmt.Errorf("no files match %s/%s-*.rec", dir, split)
	}
	s := new(Source)
	for k, n := range names {
		f, err := os.Open(n)
		if err != nil {
			return nil, err
		}
		st, _ := f.Stat()
		d, err := syscall.Mmap(int(f.Fd()), 0, int(st.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("mmap %s: %w", n, err)
		}
		x := &file{path: n, data: d}
		for o := 0; o+8 < len(d); {
			x.offsets = append(x.offsets, o)
			s.place = append(s.place, [2]int{k, len(x.offsets) - 1})
			o += 8 + int(binary.LittleEndian.Uint32(d[o:]))
		}
		s.files = append(s.files, x)
	}
	rand.New(rand.NewSource(seed)).Shuffle(len(s.place), func(i, j int) { s.place[i], s.place[j] = s.place[j], s.place[i] })
	return s, nil
}

func (s *Source) Len() int { return len(s.place) }

// Read returns the tokens of record i; length and checksum stand before it.
func (s *Source) Read(i int) ([]uint16, error) {
	p := s.place[i%len(s.place)]
	f := s.files[p[0]]
	o := f.offsets[p[1]]
	n := int(binary.LittleEndian.Uint32(f.data[o:]))
	want := binary.LittleEndian.Uint32(f.data[o+4:])
	body := f.data[o+8 : o+8+n]
	if got := crc32.Checksum(body, table); got != want {
		return nil, fmt.Errorf("corrupted record %d at offset %d of %s: crc32c 0x%08x, expected 0x%08x", p[1], o, f.path, got, want)
	}
	t := make([]uint16, n/2)
	for k := range t {
		t[k] = binary.LittleEndian.Uint16(body[2*k:])
	}
	return t, nil
}

// Append is the other side, for whoever writes such files.
func Append(b []byte, t []uint16) []byte {
	body := make([]byte, 2*len(t))
	for k, v := range t {
		binary.LittleEndian.PutUint16(body[2*k:], v)
	}
	var h [8]byte
	binary.LittleEndian.PutUint32(h[:], uint32(len(body)))
	binary.LittleEndian.PutUint32(h[4:], crc32.Checksum(body, table))
	return append(append(b, h[:]...), body...)
}
