/**
 * Messages as Java values and as bytes, a class for each schema: {@code PacketBlock}, {@code
 * VerdictBlock}, {@code Verdict}, {@code RuleChange}, {@code RuleStatistics}, {@code DeadLetter},
 * {@code Connection}.
 *
 * <p>Every message is Avro single-object encoded: two marker bytes, the fingerprint of the writer's
 * schema, the Avro body. {@link dev.sluice.schemas.codec.MessageSchemas} finds the schema of a
 * fingerprint. {@link dev.sluice.schemas.codec.PacketMessages} reads the packets topic, {@link
 * dev.sluice.schemas.codec.DeadLetterReason} lists the reasons of dead letters.
 *
 * <p>Blocks and single headers are read and written without Avro, and without an object a packet
 * ({@code BlockReader}, {@code PacketHeaderReader}, {@code WireWriter}). Tests compare the bytes
 * with Avro's. Columns of a decoded block are slices of its message. Avro reads and writes all
 * other messages, and first converts a block or header of an older schema to the present one
 * ({@code MessageKind}).
 *
 * <p>To change a message, change its schema {@code /avro/NAME.avsc}, add a copy to {@code
 * /avro/history} under the next number, and change reader and writer here: the class of that name;
 * for blocks also {@code BlockReader}, {@code VerdictBlockWriter}, and {@code RepeatedBlock}
 * ({@code lab.load}), which overwrites numbers and times of a packet block. A new field needs a
 * default, since readers take messages of older writers.
 */
@NullMarked
package dev.sluice.schemas.codec;

import org.jspecify.annotations.NullMarked;
