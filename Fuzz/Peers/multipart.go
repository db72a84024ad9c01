// Reads bodies with Go's mime/multipart. See peers.py.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"os"
	"strings"
)

type part struct {
	Name     string  `json:"name"`
	Filename *string `json:"filename"`
	Data     string  `json:"data"`
}

func parts(contentType string, body []byte) ([]part, error) {
	_, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, err
	}
	reader := multipart.NewReader(bytes.NewReader(body), parameters["boundary"])
	found := []part{}
	for {
		next, err := reader.NextRawPart()
		if err == io.EOF {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(next)
		if err != nil {
			return nil, err
		}
		one := part{Name: next.FormName(), Data: base64.StdEncoding.EncodeToString(data)}
		if name := next.FileName(); name != "" {
			one.Filename = &name
		}
		found = append(found, one)
	}
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<22)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		words := strings.Fields(line)
		for len(words) < 2 {
			words = append(words, "")
		}
		contentType, _ := base64.StdEncoding.DecodeString(words[0])
		body, _ := base64.StdEncoding.DecodeString(words[1])
		found, err := parts(string(contentType), body)
		if err != nil {
			out.Encode(map[string]string{"error": err.Error()})
		} else {
			out.Encode(map[string]any{"parts": found})
		}
	}
}
