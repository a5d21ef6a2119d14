/**
 * Messages between the parts of Sluice: the Avro schemas, their history and the single-object
 * encoding of every message.
 */
@NullMarked
package dev.sluice.schemas;

import org.jspecify.annotations.NullMarked;
