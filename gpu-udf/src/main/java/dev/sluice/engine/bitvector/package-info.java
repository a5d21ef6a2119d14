/**
 * Bitvector search (T. V. Lakshman, D. Stiliadis, "High-speed policy-based packet forwarding using
 * efficient multi-dimensional range matching", SIGCOMM 1998) with aggregation (F. Baboescu, G.
 * Varghese, "Scalable packet classification", SIGCOMM 2001) and k-ary search (M. Schramm's thesis
 * on packet classification on GPUs, §2.1 and §3).
 *
 * <pre>
 *  field value ─▶ 32-ary search in lower bounds ─▶ range ─▶ aggregate bits | bitvector, best rank first
 *  all fields:  AND of aggregates ─▶ AND of the 64-bit words that are left ─▶ first bit
 * </pre>
 *
 * <p>Ranges are disjoint and between two sorted arrays of bounds, packed by 8 and 16 bits; what no
 * rule covers has no range. Fields of more than 32 bits are compared as several words.
 *
 * <p>Memory: up to fields × (2N + 1) × N / 8 bytes; the build knows the size before it starts.
 * Update: a new build, behind an overlay. Native ranges; refuses masks with holes, naming rule and
 * field.
 */
@NullMarked
package dev.sluice.engine.bitvector;

import org.jspecify.annotations.NullMarked;
