/**
 * The header model: which match field lies at which bits of which 32-bit word. Nothing else in the
 * project knows a bit position.
 *
 * <p>A header has up to {@link dev.sluice.schemas.header.HeaderWord#COUNT} words. A rule set uses
 * some of them, and its {@link dev.sluice.schemas.header.HeaderLayout} names those: only they are
 * copied into a {@link dev.sluice.schemas.header.HeaderBatch}. The IPv4 5-tuple takes 4 words, the
 * OpenFlow 12-tuple 9, the IPv6 5-tuple 10.
 */
@NullMarked
package dev.sluice.schemas.header;

import org.jspecify.annotations.NullMarked;
