// Files of records and their manifest.   mkdata FOLDER [OFFSET of the tokens]
package main

import (
	"fmt"
	"math/rand"
	"os"
	"skua/records"
	"strconv"
)

func main() {
	dst, add := os.Args[1], 0
	if len(os.Args) > 2 {
		add, _ = strconv.Atoi(os.Args[2])
	}
	os.MkdirAll(dst, 0o755)
	r := rand.New(rand.NewSource(16))
	next := make([][3]uint16, 500)
	for i := range next {
		for k := range next[i] {
			next[i][k] = uint16(r.Intn(500))
		}
	}
	for _, s := range []struct {
		name string
		n, k int
	}{{"train", 8, 60}, {"valid", 1, 64}} {
		for f := 0; f < s.n; f++ {
			var b []byte
			for i := 0; i < s.k; i++ {
				t := make([]uint16, 64)
				t[0] = uint16(r.Intn(500))
				for j := 1; j < 64; j++ {
					t[j] = next[t[j-1]][r.Intn(3)]
				}
				for j := range t {
					t[j] += uint16(add)
				}
				b = records.Append(b, t)
			}
			os.WriteFile(fmt.Sprintf("%s/%s-%05d-of-%05d.rec", dst, s.name, f, s.n), b, 0o644)
		}
	}
	os.WriteFile(dst+"/dataset_info.json", []byte("{\"name\": \"c4_en_mini\", \"splits\": [\"train\", \"valid\"], \"vocab_size\": 512}\n"), 0o644)
}
