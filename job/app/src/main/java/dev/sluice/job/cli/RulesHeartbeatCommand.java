package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.ruletopic.RuleHeartbeats;
import dev.sluice.operators.rules.topic.EffectiveTimes;
import dev.sluice.policy.io.SluiceException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice rules heartbeat}: says that no version will come into force up to a time. */
@Command(
        name = "heartbeat",
        description = {
            "Tells live jobs in event time, through the rules topic, that no version comes into force up to a time, so "
                    + "that packets up to then do not wait. It disturbs no publisher. A version with --effective must "
                    + "come into force later.",
            "With --every it goes on until it is stopped, and reports each failure after the first heartbeat once on "
                    + "stderr. One such command for each topic is enough.",
            ""
        })
final class RulesHeartbeatCommand extends SluiceCommand {
    /**
     * A time that is further ahead of the clock is likely to be a mistake, and cannot be undone.
     */
    private static final Duration FURTHEST = Duration.ofDays(1);

    @ArgGroup private When when = new When();

    /** One of these at most. */
    private static final class When {
        @Option(
                names = "--time",
                paramLabel = "TIME",
                converter = Times.Point.class,
                description =
                        "Event time up to which no further version comes into force, as in 2026-11-22T14:00:00Z, or nanoseconds since 1970 (default: now).")
        private @Nullable Long time;

        @Option(
                names = "--every",
                paramLabel = "DURATION",
                converter = Times.Pause.class,
                description =
                        "Send one after each such time, as in 1s, each up to then (default: one only).")
        private @Nullable Duration every;
    }

    @Option(
            names = "--force",
            description = "Send it also if its time is more than a day ahead of the clock.")
    private boolean force;

    @Mixin private JsonOption json = new JsonOption();

    @Mixin private TopicOptions topics = new TopicOptions(TopicOptions.Topic.RULES);

    /** Why heartbeats failed since the last that was sent, as far as it was told. */
    private final Set<String> reasons = new HashSet<>();

    @Override
    public Integer call() throws InterruptedException {
        Long time = when.time;
        Duration every = when.every;
        if (time != null && !force && time - nowNs() > FURTHEST.toNanos()) {
            throw new UsageException(
                    "--time %s is more than a day ahead of the clock, and no version could come into force before it; say --force, too, if that is meant"
                            .formatted(EffectiveTimes.instant(time)));
        }
        RulesTopic topic = new RulesTopic(topics, err());
        try (RuleHeartbeats heartbeats = topic.heartbeats()) {
            send(heartbeats, topic.name(), time == null ? nowNs() : time, true);
            while (every != null) {
                TimeUnit.NANOSECONDS.sleep(every.toNanos());
                sendAgain(heartbeats, topic.name());
            }
        }
        return 0;
    }

    /** Sends a heartbeat, and tells a person of the first, and a program of each. */
    private void send(RuleHeartbeats heartbeats, String topic, long untilNs, boolean first) {
        long version = heartbeats.send(untilNs);
        if (first || json.isGiven()) {
            json.print(
                    out(),
                    JsonOption.object()
                            .put("topic", topic)
                            .put("version", version)
                            .put("until_ns", untilNs),
                    "heartbeat in %s: no version after %d comes into force up to %s%s"
                            .formatted(
                                    topic,
                                    version,
                                    EffectiveTimes.instant(untilNs),
                                    when.every == null
                                            ? ""
                                            : "; one follows every " + Times.words(when.every)));
        }
    }

    /** Sends the next heartbeat, which may do better than one that fails; tells a reason once. */
    private void sendAgain(RuleHeartbeats heartbeats, String topic) {
        try {
            send(heartbeats, topic, nowNs(), false);
            if (!reasons.isEmpty()) {
                say("heartbeats are sent again");
            }
            reasons.clear();
        } catch (SluiceException | KafkaException e) {
            String reason = String.valueOf(e.getMessage());
            if (reasons.add(reason)) {
                say("no heartbeat is sent, and each next one is tried: " + reason);
            }
        }
    }

    private static long nowNs() {
        Instant now = Instant.now();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }
}
