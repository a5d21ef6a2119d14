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
 * <p>For each field, the bounds of all rules cut its values into disjoint ranges; a range has a bit
 * for each rule, set if the rule allows the range's values. Lower and upper bounds lie in two
 * sorted arrays, of 8, 16 or 32 bits each by the field's width; values that no rule names are in no
 * range. A bit of the aggregate says whether a 64-bit word of the bitvector has any bit set. Fields
 * of more than 32 bits are treated as several.
 *
 * <p>Memory: up to fields × (2N + 1) × N / 8 bytes; the build knows the size before it starts.
 * Update: a new build, behind an overlay. Native ranges; refuses masks with holes, naming rule and
 * field.
 */
@NullMarked
package dev.sluice.engine.bitvector;

import org.jspecify.annotations.NullMarked;
