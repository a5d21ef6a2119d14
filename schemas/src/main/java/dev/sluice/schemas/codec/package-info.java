/**
 * Messages as Java values and as bytes: blocks of columns, single headers, verdicts, rule changes
 * and dead letters.
 *
 * <p>Every message is Avro single-object encoded (two marker bytes, the fingerprint of the writer's
 * schema, the Avro body). From a block's bytes to a header batch, and from verdicts to a block's
 * bytes, there is no object per packet.
 *
 * <p>The two blocks are read and written without Avro, by codecs of our own ({@code BlockReader},
 * {@code WireWriter}) that make of the same bytes what Avro makes of them; tests hold them to it.
 * Columns of a decoded block are parts of its message. Single headers are read in the same way
 * ({@code PacketHeaderReader}). All other records go by way of Avro, and so does a message that has
 * not the present form of its schema: Avro brings it into that form first ({@code MessageKind}).
 *
 * <p>To change a message: change its schema, {@code /avro/NAME.avsc}, add a copy of it to {@code
 * /avro/history} under the next number, and change the record of that name here, which has writer
 * and reader; of a block, {@code BlockReader} and {@code VerdictBlock} read, {@code PacketBlock}
 * and {@code VerdictBlockWriter} write, {@code RepeatedBlock} writes over a PacketBlock's numbers
 * and times. Readers must take messages of before, so that a new field needs a default; {@link
 * dev.sluice.schemas.codec.MessageSchemas} finds the writer's schema by the fingerprint in a
 * message.
 */
@NullMarked
package dev.sluice.schemas.codec;

import org.jspecify.annotations.NullMarked;
