package main

import (
	"math"
	"sort"
)

// spearman is the rank correlation of overall with level, ties at mean ranks.
func spearman(runs []labelledRun) float64 {
	x, y := make([]float64, len(runs)), make([]float64, len(runs))
	for i, r := range runs {
		x[i], y[i] = float64(r.level), float64(r.overall)
	}
	return pearson(ranks(x), ranks(y))
}

func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return values[order[a]] < values[order[b]] })
	out := make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			out[order[k]] = float64(i+j-1) / 2
		}
		i = j
	}
	return out
}

func pearson(x, y []float64) float64 {
	n := float64(len(x))
	var sx, sy, sxx, syy, sxy float64
	for i := range x {
		sx += x[i]
		sy += y[i]
		sxx += x[i] * x[i]
		syy += y[i] * y[i]
		sxy += x[i] * y[i]
	}
	d := math.Sqrt((n*sxx - sx*sx) * (n*syy - sy*sy))
	if d == 0 {
		return 0
	}
	return (n*sxy - sx*sy) / d
}

// kappa is Cohen's quadratic weighted kappa of the bands 0-19, 20-39 … 80-100:
// the band of the middle of the examiner's range against that of the overall.
func kappa(runs []labelledRun) float64 {
	const bands = 5
	band := func(score int) int { return min(score/20, bands-1) }
	var seen [bands][bands]float64
	var a, b [bands]float64
	for _, r := range runs {
		i, j := band((r.low+r.high)/2), band(r.overall)
		seen[i][j]++
		a[i]++
		b[j]++
	}
	n := float64(len(runs))
	observed, expected := 0.0, 0.0
	for i := range bands {
		for j := range bands {
			w := float64((i - j) * (i - j))
			observed += w * seen[i][j]
			expected += w * a[i] * b[j] / n
		}
	}
	if expected == 0 {
		return 0
	}
	return 1 - observed/expected
}

// ordered is the share of pairs two or more levels apart whose scores stand in
// the same order.
func ordered(runs []labelledRun) float64 {
	right, all := 0, 0
	for _, a := range runs {
		for _, b := range runs {
			if a.level >= b.level+2 {
				all++
				if a.overall > b.overall {
					right++
				}
			}
		}
	}
	return share(right, all)
}

// bias is how far the overalls of each level lie above the middle of the
// examiner's range, in the mean.
func bias(runs []labelledRun) []float64 {
	const levels = 6
	sum, n := make([]float64, levels), make([]float64, levels)
	for _, r := range runs {
		sum[r.level] += float64(r.overall) - float64(r.low+r.high)/2
		n[r.level]++
	}
	for i := range sum {
		sum[i] /= max(n[i], 1)
	}
	return sum
}
