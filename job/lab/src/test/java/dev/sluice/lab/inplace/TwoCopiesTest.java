package dev.sluice.lab.inplace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What readers and the writer of two copies see of each other. */
@Timeout(60)
class TwoCopiesTest {
    private static final HeaderBatch NO_HEADERS = new HeaderBatch(HeaderLayout.ofWordBits(0), 1);

    /** A copy that is the list of the slots inserted; its words are not safe for two threads. */
    private static final class Slots implements LiveState {
        private static final int WORDS = 4096;

        final List<Integer> inserted = new ArrayList<>();

        /** The number of changes, in every word. */
        private final int[] changes = new int[WORDS];

        @Override
        public void apply(Journal journal, int from, int to) {
            for (int k = from; k < to; k++) {
                inserted.add(journal.slots[k]);
                for (int w = 0; w < WORDS; w++) {
                    changes[w]++;
                }
            }
        }

        @Override
        public void search(HeaderBatch headers, long[] ids, int[] found) {
            found[0] = changes[0];
            for (int change : changes) {
                if (change != found[0]) {
                    throw new AssertionError("a reader saw " + change + " beside " + found[0]);
                }
            }
        }

        @Override
        public long bytes() {
            return 4L * inserted.size();
        }
    }

    private final Slots first = new Slots();
    private final Slots second = new Slots();
    private final TwoCopies<Slots> copies = new TwoCopies<>(first, second);

    private void insert(int slot) {
        copies.journal().add(Journal.INSERT, slot, 0, 0, null);
    }

    private int changesSeen() {
        int[] found = new int[1];
        copies.search(NO_HEADERS, new long[1], found);
        return found[0];
    }

    @Test
    void bothCopiesGetEveryChangeInOrder() {
        insert(7);
        insert(3);
        copies.publish();
        insert(9);
        copies.publish();
        assertEquals(List.of(7, 3, 9), first.inserted);
        assertEquals(List.of(7, 3, 9), second.inserted);
        assertEquals(0, copies.journal().size(), "changes that both copies have");
        assertEquals(24, copies.bytes());
    }

    @Test
    void changesAreSeenWhenTheyArePublished() {
        insert(1);
        assertEquals(0, changesSeen());
        copies.publish();
        assertEquals(1, changesSeen());
    }

    @Test
    void aCopyThatIsLookedIntoGetsTheChangeAtTheNextPublication() {
        TwoCopies.Copy<Slots> held = copies.enter();
        insert(1);
        copies.publish();
        Slots heldState = held.state;
        assertTrue(heldState.inserted.isEmpty());
        assertEquals(1, changesSeen(), "a reader that comes later");
        assertEquals(1, copies.journal().size(), "the held copy still needs the change");
        copies.leave(held);
        insert(2);
        copies.publish();
        assertEquals(List.of(1, 2), heldState.inserted);
        assertEquals(List.of(1, 2), first.inserted);
        assertEquals(List.of(1, 2), second.inserted);
    }

    @Test
    void theWriterWaitsForAReaderOfTheCopyThatItWillChange() throws InterruptedException {
        TwoCopies.Copy<Slots> held = copies.enter();
        insert(1);
        copies.publish();
        insert(2);
        AtomicBoolean left = new AtomicBoolean();
        AtomicBoolean waited = new AtomicBoolean();
        CountDownLatch started = new CountDownLatch(1);
        Thread writer =
                new Thread(
                        () -> {
                            started.countDown();
                            copies.publish();
                            waited.set(left.get());
                        });
        writer.start();
        started.await();
        while (writer.getState() != Thread.State.TIMED_WAITING) {
            assertTrue(writer.isAlive(), "the writer changed a copy that is looked into");
            Thread.onSpinWait();
        }
        assertTrue(held.state.inserted.isEmpty());
        left.set(true);
        copies.leave(held);
        writer.join();
        assertTrue(waited.get());
        assertEquals(2, changesSeen());
    }

    @Test
    void readersEnterTheCopyThatWasPublishedLast() {
        TwoCopies.Copy<Slots> before = copies.enter();
        copies.leave(before);
        insert(1);
        copies.publish();
        TwoCopies.Copy<Slots> after = copies.enter();
        copies.leave(after);
        assertNotSame(before, after);
        insert(2);
        copies.publish();
        assertSame(before, copies.enter());
    }

    @Test
    void readersOfManyThreadsNeverSeeAHalfMadeChange() throws InterruptedException {
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong looks = new AtomicLong();
        List<Throwable> failures = new ArrayList<>();
        List<Thread> readers = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            Thread reader =
                    new Thread(
                            () -> {
                                int last = 0;
                                while (!done.get()) {
                                    int seen = changesSeen();
                                    assertFalse(seen < last, "an older version came back");
                                    last = seen;
                                    looks.incrementAndGet();
                                }
                            });
            reader.setUncaughtExceptionHandler(
                    (thread, failure) -> {
                        synchronized (failures) {
                            failures.add(failure);
                        }
                    });
            reader.start();
            readers.add(reader);
        }
        for (int change = 1; change <= 1_000 || looks.get() < 1_000; change++) {
            insert(change);
            copies.publish();
            synchronized (failures) {
                if (!failures.isEmpty()) {
                    break;
                }
            }
        }
        done.set(true);
        for (Thread reader : readers) {
            reader.join();
        }
        assertEquals(List.of(), failures);
    }
}
