/** A Kafka broker in a class loader of its own. */
@NullMarked
package dev.sluice.broker;

import org.jspecify.annotations.NullMarked;
