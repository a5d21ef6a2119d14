package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.submit.ClosingTaskLogFilter;
import dev.sluice.operators.rules.serving.RefusedVersion;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.runtime.checkpoint.CheckpointFailureReason;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.ConfigurationFactory;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.Test;

/** The logging with which {@code ./sluice} starts. */
class CommandLoggingTest {
    @Test
    void whatBecomesOfTheRulesIsSaidOnTheTerminalAndNothingElse() {
        Path file = Path.of("deploy/conf/log4j2-cli.properties");
        if (!Files.exists(file)) {
            file = Path.of("../..").resolve(file); // the module's directory
        }
        try (LoggerContext context = new LoggerContext("command")) {
            Configuration read =
                    ConfigurationFactory.getInstance()
                            .getConfiguration(context, "command", file.toUri());
            read.initialize();
            LoggerConfig rules =
                    read.getLoggerConfig(RefusedVersion.class.getPackageName() + ".RuleStream");
            assertEquals(Level.WARN, rules.getLevel());
            assertEquals(1, rules.getAppenderRefs().size());
            String to = rules.getAppenderRefs().get(0).getRef();
            assertTrue(read.getAppenders().containsKey(to), to);
            assertEquals(Level.OFF, read.getLoggerConfig("org.apache.flink").getLevel());
            assertEquals(Level.OFF, read.getLoggerConfig("org.apache.kafka").getLevel());
        }
    }

    @Test
    void aCheckpointThatFallsIntoTheEndOfAJobIsNotWarnedOf() {
        try (LoggerContext context = new LoggerContext("command")) {
            ClosingTaskLogFilter.leaveOut(context);
            ClosingTaskLogFilter.leaveOut(context);
            LoggerConfig root = context.getConfiguration().getRootLogger();
            for (CheckpointFailureReason reason : CheckpointFailureReason.values()) {
                LogEvent event =
                        Log4jLogEvent.newBuilder()
                                .setLoggerName("org.apache.flink")
                                .setLevel(Level.WARN)
                                .setMessage(new SimpleMessage("a checkpoint failed"))
                                .setThrown(new CheckpointException(reason))
                                .build();
                assertEquals(
                        reason == CheckpointFailureReason.CHECKPOINT_DECLINED_TASK_CLOSING,
                        root.isFiltered(event));
            }
        }
    }
}
