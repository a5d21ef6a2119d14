package dev.sluice.operators.rules.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.operators.rules.serving.Versions;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Up to which time rules are known, from what the topic says and from its silence. */
final class HistoryFollowerTest {
    private static final long IDLE = 1000;

    private final RecordedHistory history = new RecordedHistory();
    private final List<String> heard = new ArrayList<>();
    private final HistoryFollower follower =
            new HistoryFollower(
                    "test",
                    history,
                    IDLE,
                    new HistoryFollower.Listener() {
                        @Override
                        public void timelineChanged() {
                            heard.add("changed");
                        }

                        @Override
                        public void passedOver(int from, int end) {
                            heard.add("passed over " + from + " to " + end);
                        }
                    });
    private long position;

    private void take(List<byte[]> messages) {
        for (byte[] message : messages) {
            follower.message(message, 0, ++position);
        }
    }

    private void heartbeat(String history, long untilNs) {
        take(List.of(RuleChange.heartbeat(history, 1, untilNs).encode()));
    }

    private Versions versions(int count) {
        Versions versions = new Versions(TestSeed.of(1)).replace(Shape.FIREWALL, 4);
        for (int i = 1; i < count; i++) {
            versions.change(Shape.FIREWALL, 1, 1);
        }
        return versions;
    }

    @Test
    void versionsAndHeartbeatsOfTheirHistoryLetKnow() {
        Versions versions = versions(3);
        heartbeat("h1", 5);
        assertFalse(follower.timeline().knows(-100), "there is no version");
        take(versions.messages.get(0));
        assertTrue(follower.timeline().knows(-1));
        assertFalse(follower.timeline().knows(0));
        heartbeat("other", 7);
        assertFalse(follower.timeline().knows(0), "a heartbeat of another history");
        heartbeat("h1", 7);
        heartbeat("h1", 6);
        assertTrue(follower.timeline().knows(7));
        take(versions.messages.get(1));
        take(versions.messages.get(2));
        assertEquals(19, follower.timeline().knownNs());
        assertEquals(1, follower.timeline().index(follower.timeline().placeAt(19)));
    }

    @Test
    void aVersionThatAHeartbeatHasRuledOutIsDropped() {
        Versions versions = versions(3);
        take(versions.messages.get(0));
        heartbeat("h1", 10);
        take(versions.messages.get(1)); // from 10 on
        assertEquals(1, follower.timeline().size());
        HistoryFollower.Malformed malformed = follower.malformed(0);
        assertEquals(
                List.of("rules: effective time goes back"),
                malformed.letters().stream().map(letter -> letter.reason()).toList());
        assertEquals(position, malformed.position());
        assertEquals(List.of(), follower.malformed(0).letters(), "told twice");
    }

    @Test
    void silenceLetsAllGoOnAndWhatComesTooLateIsCounted() {
        Versions versions = versions(4);
        take(versions.messages.get(0));
        follower.quiet(IDLE - 1);
        assertFalse(follower.isIdle());
        follower.quiet(IDLE);
        assertTrue(follower.isIdle());
        assertTrue(follower.timeline().knows(25));
        assertEquals(-1, follower.saidNs());
        follower.judgedAhead(25);
        take(versions.messages.get(1));
        assertFalse(follower.isIdle());
        assertFalse(follower.timeline().knows(25));
        take(versions.messages.get(2));
        take(versions.messages.get(3));
        assertEquals(2, follower.versionsTooLate(), "those from 10 and 20 on, not that from 30 on");
    }

    @Test
    void heartbeatsOfAnotherHistoryAreSilence() {
        take(versions(1).messages.get(0));
        follower.quiet(IDLE / 2);
        heartbeat("h1", 3);
        for (int i = 0; i < 3; i++) {
            follower.quiet(IDLE / 4);
            heartbeat("other", 7);
        }
        assertFalse(follower.isIdle());
        follower.quiet(IDLE / 4);
        assertTrue(follower.isIdle());
        heartbeat("other", 8);
        assertTrue(follower.isIdle());
        heartbeat("h1", 8);
        assertFalse(follower.isIdle());
        assertEquals(8, follower.timeline().knownNs());
    }

    @Test
    void aTopicThatIsMadeAnewTakesTheTimesFromItsFirstSnapshotOn() {
        Versions old = versions(4);
        for (List<byte[]> version : old.messages) {
            take(version);
        }
        heard.clear();
        Versions fresh = new Versions(TestSeed.of(2)).anew(Shape.FIREWALL, 2);
        take(fresh.messages.get(0)); // from 0 on
        assertTrue(heard.contains("passed over 1 to 4"), heard.toString());
        Timeline timeline = follower.timeline();
        assertEquals(2, timeline.size());
        assertEquals(4, timeline.index(timeline.placeAt(100)));
        assertEquals(-1, timeline.knownNs());
    }

    /** Messages of three versions, and one that nobody can read behind the first. */
    private void takeWithUnreadable(Versions versions) {
        for (List<byte[]> version : versions.messages) {
            take(version);
            if (version == versions.messages.get(0)) {
                take(List.of(new byte[] {1}));
            }
        }
    }

    @Test
    void whatIsMalformedInATopicThatIsMadeAnewIsTold() {
        takeWithUnreadable(versions(3));
        HistoryFollower.Malformed told = follower.malformed(0);
        assertEquals(1, told.letters().size());
        follower.rewound();
        assertEquals(0, follower.malformed(told.position()).position());
        position = 0;
        Versions fresh = new Versions(TestSeed.of(2)).anew(Shape.FIREWALL, 2);
        for (int i = 0; i < 4; i++) {
            fresh.change(Shape.FIREWALL, 1, 1);
        }
        takeWithUnreadable(fresh);
        assertTrue(position > told.position(), "the new topic is longer");
        assertEquals(1, follower.malformed(told.position()).letters().size());
        assertEquals(0, follower.malformed(told.position()).letters().size(), "told twice");
    }

    @Test
    void whatIsForgottenCountsAsDeleted() {
        Versions versions = versions(2);
        versions.replace(Shape.FIREWALL, 3).change(Shape.FIREWALL, 1, 1);
        for (List<byte[]> version : versions.messages) {
            take(version);
        }
        long bytes = history.bytes();
        assertEquals(-1, history.snapshotUpTo(-1));
        assertEquals(2, history.snapshotUpTo(3));
        follower.forget(2);
        history.forget(2);
        assertTrue(history.bytes() < bytes);
        assertEquals(Timeline.HISTORY_DELETED, follower.timeline().placeAt(19));
        assertEquals(3, follower.timeline().index(follower.timeline().placeAt(30)));
        assertEquals(versions.contents.get(3).rules(), history.rules(3).rules());
        assertEquals(4, history.size());
    }
}
