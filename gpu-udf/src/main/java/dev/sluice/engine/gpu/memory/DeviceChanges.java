package dev.sluice.engine.gpu.memory;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.lookup.LaunchShape;
import dev.sluice.engine.memory.ChangeSource;
import dev.sluice.engine.memory.GrowingWords;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The device's copy of what changed since a base was compiled: rules that came, the ticks at which
 * base rules went, and the base rules as tuples, among which a header is looked up again whose rule
 * went.
 *
 * <p>The words are such that a look-up of one version finds nothing wrong where it sees words of a
 * later one, or, of what is later, words of before ({@code VersionedTuples}). So the copy is
 * written while batches look into it: words that were written on the host go to pinned memory, and
 * a kernel on a stream of the copy's own takes them from there. A batch waits, on the device, for
 * the event behind the words that its version needs ({@link Copy#arrived}); none waits for a batch
 * of another version. Where the words outgrow their place they are copied to a larger one; the old
 * one stays until {@link #close}, since batches may look there.
 *
 * <p>Thread-safe. Who calls {@link #bring} has no staging buffer: it may take memory.
 */
public final class DeviceChanges implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceChanges.class);

    /** Kernel that writes pairs of a place and a word; places of {@link #REMOVED} to the second. */
    public static final String WRITE = "write_changes";

    /** Set in the place of a word of the ticks at which base rules went. */
    private static final int REMOVED = 1 << 31;

    private static final int[] NO_PARAMETERS = {};

    /** Size of a pinned buffer for pairs on their way to the device, in words. */
    private static final int PIECE_WORDS = 1 << 16;

    private static final int PIECES = 8;

    private static final int SMALLEST_WORDS = 1 << 14;

    /** How many times the words in use a new place takes: each move copies them all. */
    private static final int GROWTH = 4;

    /**
     * Place of the copy.
     *
     * @param epoch of the context that the addresses belong to
     * @param all address of the base rules as tuples; 0 while none went
     * @param inserted address of the rules that came
     * @param removed address of the ticks at which base rules went
     * @param arrived is recorded behind all words that were sent
     * @param tick all words of this tick and those before were sent
     */
    public record Copy(
            int epoch, long all, long inserted, long removed, GpuDriver.Event arrived, int tick) {
        private Copy at(int newTick) {
            return new Copy(epoch, all, inserted, removed, arrived, newTick);
        }

        /** Returns whether another one lies at the same place, whatever its tick. */
        public boolean liesWith(Copy other) {
            return epoch == other.epoch
                    && all == other.all
                    && inserted == other.inserted
                    && removed == other.removed;
        }
    }

    /** Pinned memory for pairs, and an event behind the kernel that reads it. */
    private static final class Piece {
        final GpuDriver.Pinned pairs;
        final GpuDriver.Event read;

        /** The kernel over the pairs, and where it writes rules that came; 0 before the first. */
        GpuDriver.Launch launch = (stride, count, stream) -> {};

        long preparedFor;

        Piece(GpuDriver.Pinned pairs, GpuDriver.Event read) {
            this.pairs = pairs;
            this.read = read;
        }
    }

    /** Device memory that was taken. */
    private record Block(long address, long bytes) {}

    private final DeviceMemory memory;
    private final ChangeSource source;

    private volatile @Nullable Copy copy;

    // Guarded by this.
    private int epoch = -1;
    private final List<Block> blocks = new ArrayList<>();
    private final List<Piece> pieces = new ArrayList<>();
    private GpuDriver.@Nullable Stream stream;
    private GpuDriver.@Nullable Event arrived;
    private int nextPiece;
    private long capacity;
    private boolean closed;

    /** Epoch in which there was no room. */
    private volatile int fullIn = -1;

    /**
     * A copy that is made now.
     *
     * @throws GpuException if the device has no room for it, or fails; nothing is left there then
     */
    public DeviceChanges(DeviceMemory memory, ChangeSource source) {
        this.memory = memory;
        this.source = source;
        try {
            bring(source.tick());
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        if (full()) {
            close();
            throw new GpuException(GpuException.OUT_OF_MEMORY, "no room for rules that change");
        }
    }

    /** Returns the source of the copy. */
    public ChangeSource source() {
        return source;
    }

    /** Returns whether the device has no room for the words, so that the CPU has to look up. */
    public boolean full() {
        return fullIn == memory.context().epoch();
    }

    /** Bytes of device memory, room for growth and places of before included. */
    public synchronized long bytes() {
        return blocks.stream().mapToLong(Block::bytes).sum();
    }

    /**
     * Sees to it that the words of a tick are under way to the device. Does not wait for them: who
     * looks into the copy lets his stream follow {@link Copy#arrived}.
     *
     * @return null if the device has no room for them: {@link #full} from now on
     * @throws GpuException if the device fails
     */
    public @Nullable Copy bring(int tick) {
        Copy there = copy;
        if (there != null && has(there, tick)) {
            return there;
        }
        DeviceContext.Held share = memory.context().share();
        try (share) {
            synchronized (this) {
                return bringLocked(tick);
            }
        }
    }

    private boolean has(Copy there, int tick) {
        return there.epoch == memory.context().epoch() && tick <= there.tick;
    }

    private @Nullable Copy bringLocked(int tick) {
        memory.context().requireOpen();
        if (closed) {
            throw new GpuException(0, "the rules' copy on the device is closed");
        }
        Copy there = copy;
        if (full()) {
            return null;
        }
        if (there != null && has(there, tick)) {
            return there;
        }
        boolean well = false;
        try {
            // In this order, so that the runs before the ends have the words of the tick, and lie
            // within the array. Its words may be newer, and name others that are not sent yet; so
            // the place has room for the whole array, and look-ups stay within it.
            int newest = source.tick();
            long removedEnd = source.removed().end();
            long insertedEnd = source.inserted().end();
            int[] words = source.inserted().words();
            if (there == null || there.epoch != memory.context().epoch()) {
                there = place();
            } else if (words.length > capacity) {
                there = grow(there);
            }
            if (there.all == 0) {
                there = placeAll(there);
            }
            send(there, removedEnd, insertedEnd, words);
            there = there.at(newest);
            copy = there;
            well = true;
            return there;
        } catch (GpuException e) {
            if (!e.isOutOfMemory()) {
                throw e;
            }
            fullIn = memory.context().epoch();
            LOG.warn(
                    "device {} has no room for rules that change: {}; the CPU looks them up",
                    memory.context().number(),
                    e.getMessage());
            return null;
        } finally {
            if (!well) {
                copy = null; // what was taken from the logs may not be there
            }
        }
    }

    /** The whole of everything, in a context that has nothing of it. */
    private Copy place() {
        if (epoch != memory.context().epoch()) {
            forget();
            epoch = memory.context().epoch();
        }
        GpuDriver.Device device = memory.context().device();
        GpuDriver.Event behind = arrived;
        if (behind == null) {
            stream = device.urgentStream();
            behind = device.event();
            arrived = behind;
            for (int p = 0; p < PIECES; p++) {
                pieces.add(new Piece(memory.allocatePinned(PIECE_WORDS), device.event()));
            }
        }
        source.removed().takeAll();
        int[] removed = source.removed().words();
        long removedAt = allocate(Math.max(1, removed.length));
        device.upload(removedAt, removed, 0, removed.length);
        return new Copy(epoch, 0, placeInserted(), removedAt, behind, source.tick());
    }

    /** The base rules as tuples, if they are there. */
    private Copy placeAll(Copy from) {
        int[] all = source.all();
        if (all == null) {
            return from;
        }
        long address = allocate(all.length);
        memory.context().device().upload(address, all, 0, all.length);
        return new Copy(from.epoch, address, from.inserted, from.removed, from.arrived, from.tick);
    }

    private Copy grow(Copy from) {
        return new Copy(
                from.epoch, from.all, placeInserted(), from.removed, from.arrived, from.tick);
    }

    /** A place for the rules that came, larger than they need, with their words. */
    private long placeInserted() {
        GrowingWords inserted = source.inserted();
        inserted.takeAll();
        int used = inserted.size();
        int[] words = inserted.words();
        long room = Math.max(Math.max(SMALLEST_WORDS, words.length), GROWTH * (long) used);
        long address = allocate(room);
        memory.context().device().upload(address, words, 0, used);
        // Words that are not in use yet are 0 on the host when they come into use.
        memory.clear(address + 4L * used, room - used);
        capacity = room;
        return address;
    }

    private long allocate(long words) {
        long address = memory.allocate(4 * words);
        blocks.add(new Block(address, 4 * words));
        return address;
    }

    /**
     * Sends the words of the runs before some ends, and puts the event behind them.
     *
     * @param words has the runs of the rules that came
     */
    private void send(Copy to, long removedEnd, long insertedEnd, int[] words) {
        Sending sending = new Sending(to);
        sending.add(source.removed(), source.removed().words(), removedEnd, REMOVED);
        sending.add(source.inserted(), words, insertedEnd, 0);
        sending.end();
        if (sending.words > 0) {
            memory.context().device().record(to.arrived, requireStream());
        }
    }

    private GpuDriver.Stream requireStream() {
        GpuDriver.Stream open = stream;
        if (open == null) {
            throw new IllegalStateException("the copy was not placed");
        }
        return open;
    }

    /** Pairs on their way to the device, a piece at a time. */
    private final class Sending {
        private final Copy to;
        private @Nullable Piece piece;
        private int filled;
        private long words;

        Sending(Copy to) {
            this.to = to;
        }

        /**
         * All runs before an end. Their words are read now, so they may be newer than the runs:
         * what was written meanwhile comes with a later run, too.
         */
        void add(GrowingWords from, int[] array, long end, int mark) {
            while (from.taken() < end) {
                long run = from.take();
                int at = (int) (run >> 32);
                for (int past = at + (int) run; at < past; at++) {
                    add(at | mark, array[at]);
                }
            }
        }

        private void add(int place, int word) {
            Piece open = piece;
            if (open == null) {
                open = pieces.get(nextPiece);
                nextPiece = (nextPiece + 1) % PIECES;
                memory.context().device().await(open.read);
                piece = open;
                filled = 0;
            }
            IntBuffer pairs = open.pairs.words();
            pairs.put(filled, place);
            pairs.put(filled + 1, word);
            filled += 2;
            if (filled == PIECE_WORDS) {
                end();
            }
        }

        /** Queues the kernel that reads the piece. */
        void end() {
            Piece full = piece;
            if (full == null) {
                return;
            }
            GpuDriver.Device device = memory.context().device();
            GpuDriver.Stream on = requireStream();
            if (full.preparedFor != to.inserted) {
                full.launch =
                        device.prepare(
                                new GpuDriver.Call(
                                        WRITE,
                                        LaunchShape.PLAIN,
                                        to.inserted,
                                        full.pairs.deviceAddress(),
                                        to.removed,
                                        NO_PARAMETERS));
                full.preparedFor = to.inserted;
            }
            full.launch.run(0, filled / 2, on);
            device.record(full.read, on);
            words += filled / 2;
            piece = null;
        }
    }

    /** Forgets memory of an epoch that is over: it went with the epoch. */
    private void forget() {
        blocks.clear();
        pieces.clear();
        stream = null;
        arrived = null;
        nextPiece = 0;
        capacity = 0;
    }

    /** Gives the memory back; no batch may look into it. */
    @Override
    public void close() {
        DeviceContext.Held share = memory.context().share();
        try (share) {
            synchronized (this) {
                closed = true;
                copy = null;
                if (memory.context().holds(epoch)) {
                    giveBack(memory.context().device());
                }
                blocks.forEach(b -> memory.free(b.address, b.bytes, epoch));
                forget();
            }
        }
    }

    private void giveBack(GpuDriver.Device device) {
        GpuDriver.Stream open = stream;
        if (open != null) {
            device.await(open);
            device.destroyStream(open);
        }
        for (Piece piece : pieces) {
            device.destroyEvent(piece.read);
            memory.freePinned(piece.pairs);
        }
        GpuDriver.Event behind = arrived;
        if (behind != null) {
            device.destroyEvent(behind);
        }
    }
}
