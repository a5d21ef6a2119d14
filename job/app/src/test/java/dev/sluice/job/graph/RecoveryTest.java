package dev.sluice.job.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;

class RecoveryTest {
    private static Configuration checkpoints(Duration interval, Duration transactionTimeout) {
        Configuration config = new Configuration();
        Recovery.checkpoints(config, interval, transactionTimeout);
        return config;
    }

    @Test
    void checkpointsMayFailForHalfOfTheTimeThatKafkaKeepsATransaction() {
        Configuration usual = checkpoints(Duration.ofSeconds(5), Duration.ofMinutes(10));
        assertEquals(60, usual.get(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER));
        assertEquals(Duration.ofMinutes(5), usual.get(CheckpointingOptions.CHECKPOINTING_TIMEOUT));
    }

    @Test
    void rareCheckpointsMayFailTenTimesAndHaveTenSeconds() {
        Configuration rare = checkpoints(Duration.ofSeconds(5), Duration.ofSeconds(6));
        assertEquals(10, rare.get(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER));
        assertEquals(Duration.ofSeconds(10), rare.get(CheckpointingOptions.CHECKPOINTING_TIMEOUT));
    }
}
