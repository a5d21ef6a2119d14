package dev.sluice.operators.classify;

import dev.sluice.operators.rules.topic.RuleSource;
import java.util.ArrayList;
import java.util.List;

/** A rules topic that goes on: a test publishes, and waits until every follower has taken it. */
final class LiveTopic implements RuleSource {
    private static final long serialVersionUID = 1L;

    private final transient Object lock = new Object();

    // Guarded by the lock.
    private final transient List<byte[]> messages = new ArrayList<>();
    private final transient List<Place> places = new ArrayList<>();
    private transient boolean silent;
    private transient int id;

    /** How far a follower is. */
    private static final class Place {
        long position;
        boolean toldSilence;

        /** Whether a thread goes on from here. */
        boolean followed;

        /** Whether the topic was made anew, and the follower has not heard of it. */
        boolean anew;
    }

    /** Is deleted and made anew; who follows it begins again. */
    void makeAnew() {
        synchronized (lock) {
            messages.clear();
            id++;
            places.forEach(place -> place.anew = true);
            lock.notifyAll();
        }
    }

    @Override
    public String topic() {
        synchronized (lock) {
            return "topic " + id;
        }
    }

    /** Publishes; the followers take it when they come to it. */
    void publish(List<byte[]> more) {
        synchronized (lock) {
            messages.addAll(more);
            silent = false;
            places.forEach(place -> place.toldSilence = false);
            lock.notifyAll();
        }
    }

    /** No message comes for longer than any follower waits. */
    void fallSilent() {
        synchronized (lock) {
            silent = true;
            lock.notifyAll();
        }
    }

    /** Waits until every follower has taken all messages, and knows of the silence. */
    void awaitFollowers() throws InterruptedException {
        synchronized (lock) {
            while (!places.stream().allMatch(this::isThere)) {
                lock.wait();
            }
        }
    }

    private boolean isThere(Place place) {
        return !place.anew && place.position == messages.size() && (!silent || place.toldSilence);
    }

    @Override
    public long end() {
        return 0; // of no account in a live job
    }

    @Override
    public Range read(From from, long before, Taker taker) throws InterruptedException {
        List<byte[]> there;
        synchronized (lock) {
            there = List.copyOf(messages);
            Place place = new Place();
            place.position = there.size();
            places.add(place); // it will be followed
        }
        for (int i = 0; i < there.size(); i++) {
            taker.message(there.get(i), 0, i + 1);
        }
        return new Range(0, there.size());
    }

    @Override
    public void follow(long position, Follower follower) throws InterruptedException {
        Place place;
        synchronized (lock) {
            place = places.stream().filter(one -> !one.followed).findFirst().orElseThrow();
            place.followed = true;
            place.position = position;
        }
        try {
            while (true) {
                byte[] next;
                boolean anew;
                synchronized (lock) {
                    lock.notifyAll();
                    while (isThere(place)) {
                        lock.wait();
                    }
                    anew = place.anew;
                    if (anew) {
                        place.anew = false;
                        place.position = 0;
                    }
                    next =
                            place.position < messages.size()
                                    ? messages.get((int) place.position)
                                    : null;
                }
                if (anew) {
                    follower.rewound();
                    continue;
                }
                if (next == null) {
                    follower.quiet(Long.MAX_VALUE);
                } else {
                    follower.message(next, 0, place.position + 1);
                }
                synchronized (lock) {
                    place.toldSilence |= next == null;
                    place.position += next == null ? 0 : 1;
                }
            }
        } finally {
            synchronized (lock) {
                places.remove(place);
                lock.notifyAll();
            }
        }
    }
}
