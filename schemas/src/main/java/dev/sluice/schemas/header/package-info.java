/**
 * The header model. {@link dev.sluice.schemas.header.Field} is the table of match fields: at which
 * bits of which 32-bit word each lies, and how it is named and written. Nothing else in the project
 * knows a bit position.
 *
 * <p>{@link dev.sluice.schemas.header.HeaderWord} numbers the words. A rule set uses some of them,
 * which its {@link dev.sluice.schemas.header.HeaderLayout} lists: only these are copied into a
 * {@link dev.sluice.schemas.header.HeaderBatch}. The IPv4 5-tuple takes 4 words, the OpenFlow
 * 12-tuple 9, the IPv6 5-tuple 10. {@link dev.sluice.schemas.header.FlowShard} hashes a header to
 * its flow shard.
 */
@NullMarked
package dev.sluice.schemas.header;

import org.jspecify.annotations.NullMarked;
