/**
 * Messages as Java values and as bytes: blocks of columns, single headers, verdicts, rule changes
 * and dead letters.
 *
 * <p>Every message is Avro single-object encoded (two marker bytes, the fingerprint of the writer's
 * schema, the Avro body). From a block's bytes to a header batch, and from verdicts to a block's
 * bytes, there is no object per packet.
 */
@NullMarked
package dev.sluice.schemas.codec;

import org.jspecify.annotations.NullMarked;
