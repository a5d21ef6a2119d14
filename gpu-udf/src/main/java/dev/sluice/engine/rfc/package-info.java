/**
 * Recursive flow classification (P. Gupta and N. McKeown, "Packet classification on multiple
 * fields", SIGCOMM 1999) and Bitmap-RFC (D. Liu, B. Hua, X. Hu, X. Tang, "High-performance packet
 * classification algorithm for many-core and multithreaded network processor", CASES 2006, §3-4):
 * chunks of a header index tables of class ids; classes of two or three tables together index the
 * next; the last table holds verdicts.
 *
 * <pre>
 *  source hi, lo ──▶ address ─┐
 *  destination hi, lo ▶ address ├─▶ pair ─┐        Bitmap-RFC, one piece of 2^k entries:
 *  ports, protocol ──▶ fields ─┘  other ──┴▶ verdict  | bitmap | values of the runs | (address) |
 * </pre>
 *
 * <p>The exact form covers every field: addresses are reduced first, then what is small, then the
 * last three parts in the order that gives the smallest tables. The paper's form has six 16-bit
 * chunks, X = (0,1,4), Y = (2,3,5), Z = (X,Y), no protocol, and strides of powers of two; it
 * refuses rules that name other fields. Bitmap-RFC cuts tables into pieces of 32 entries, 20 bytes
 * each; the tuned form picks pieces of 32 to 128 entries and the number of elements by the tables'
 * histograms, aligned to cache sectors, and leaves tables plain that a core's cache holds.
 *
 * <p>Our reading where the paper is silent: a piece of more runs than elements keeps the first
 * elements and puts the rest at the accessory address.
 *
 * <p>Memory: the product of class counts, up to hundreds of megabytes at 10,000 rules. Look-up: one
 * load a table, no comparison. Update: a new build, behind an overlay. Supports every match.
 * Thread-safe.
 */
@NullMarked
package dev.sluice.engine.rfc;

import org.jspecify.annotations.NullMarked;
