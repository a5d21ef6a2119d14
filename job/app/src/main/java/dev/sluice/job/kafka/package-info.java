/**
 * Kafka: topics, the embedded broker, exporter and rule publisher, the (de)serializers of the
 * graph.
 */
@NullMarked
package dev.sluice.job.kafka;

import org.jspecify.annotations.NullMarked;
