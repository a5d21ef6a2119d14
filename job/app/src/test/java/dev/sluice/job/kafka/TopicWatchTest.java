package dev.sluice.job.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.kafka.WatchedTopics.Role;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is found of a topic, by what Kafka answers look after look; no broker is asked. */
class TopicWatchTest {
    private static final long CHECKPOINT = 7;
    private static final Map<String, String> FIRST = Map.of("topic", "a");
    private static final Map<String, String> OTHER = Map.of("topic", "b");
    private static final Map<String, String> NONE = Map.of();

    private static TopicWatch watch(Role role, Map<String, String> ids) {
        return new TopicWatch(
                new WatchedTopics(
                        new KafkaClients("localhost:1"),
                        List.of(new WatchedTopics.Topic("topic", role))),
                ids);
    }

    @SafeVarargs
    private static Optional<TopicWatch.Finding> last(
            TopicWatch watch, Map<String, String>... looks) {
        try (watch) {
            Optional<TopicWatch.Finding> found = Optional.empty();
            for (Map<String, String> look : looks) {
                assertTrue(found.isEmpty(), () -> "found before the last look");
                found = watch.judge(look, CHECKPOINT);
            }
            return found;
        }
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void whatIsMissedTwiceIsGoneForGoodAndTheSentenceHasTopicAndCheckpoint(Role role) {
        TopicWatch.Finding gone = last(watch(role, FIRST), FIRST, NONE, NONE).orElseThrow();
        assertFalse(gone.restartHelps());
        assertTrue(gone.sentence().startsWith("topic topic ("), gone.sentence());
        assertTrue(gone.sentence().contains(" is gone"), gone.sentence());
        assertTrue(gone.sentence().contains("its last checkpoint is 7"), gone.sentence());
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void whatIsMissedOnceIsNotGone(Role role) {
        assertEquals(Optional.empty(), last(watch(role, FIRST), NONE, FIRST, NONE, FIRST));
    }

    @Test
    void anotherTopicOfTheNameEndsTheJobForGoodUnlessItIsOfRules() {
        for (Role role : Role.values()) {
            Optional<TopicWatch.Finding> anew = last(watch(role, Map.of()), FIRST, OTHER);
            switch (role) {
                case FOLLOWED_RULES -> assertEquals(Optional.empty(), anew);
                case RULES -> assertTrue(anew.orElseThrow().restartHelps());
                case PACKETS, VERDICTS, DEAD_LETTERS, STATISTICS ->
                        assertFalse(anew.orElseThrow().restartHelps(), role.name());
            }
            anew.ifPresent(
                    found ->
                            assertTrue(
                                    found.sentence().contains(" was made anew"), found.sentence()));
        }
    }

    @Test
    void aTopicMadeAnewWhileTheJobWasDownEndsItIfItIsOfPacketsAlone() {
        Set<Role> found = EnumSet.noneOf(Role.class);
        for (Role role : Role.values()) {
            last(watch(role, FIRST), OTHER).ifPresent(any -> found.add(role));
        }
        assertEquals(EnumSet.of(Role.PACKETS), found);
    }
}
