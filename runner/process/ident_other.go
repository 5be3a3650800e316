//go:build !linux

package process

import "os"

func growPipe(*os.File) {}
