/**
 * Root of the messages between the parts of Sluice. {@link dev.sluice.schemas.header} says where a
 * field lies in a header, {@link dev.sluice.schemas.codec} reads and writes messages; the Avro
 * schemas and their history are resources.
 */
@NullMarked
package dev.sluice.schemas;

import org.jspecify.annotations.NullMarked;
