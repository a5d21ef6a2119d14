package dev.sluice.engine.gpu.memory;

import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.schemas.header.HeaderBatch;

/**
 * Headers in a device's memory and room for their verdicts, to be looked up any number of times.
 * Not thread-safe. Who makes or closes them has no staging buffer.
 */
public final class DeviceHeaders implements AutoCloseable {
    private final DeviceMemory memory;
    private final int epoch;
    private final int count;
    private final long wordBytes;
    private final long words;
    private final long verdicts;
    private boolean closed;

    /**
     * Copies headers to a device.
     *
     * @param drawn headers that fill their batch
     * @param times how many times they lie there, one behind the other
     * @throws GpuException if the device has no room for them, or fails; nothing is left there then
     */
    public DeviceHeaders(DeviceMemory memory, HeaderBatch drawn, int times) {
        this.memory = memory;
        this.count = drawn.size() * times;
        int perHeader = drawn.layout().size();
        this.wordBytes = 4L * count * Math.max(1, perHeader);
        DeviceContext.Held share = memory.context().share();
        try (share) {
            this.epoch = memory.context().epoch();
            this.words = memory.allocate(wordBytes);
            long room = 0;
            try {
                room = memory.allocate(4L * count);
                for (int p = 0; p < perHeader; p++) {
                    for (int t = 0; t < times; t++) {
                        long at = words + 4L * ((long) p * count + (long) t * drawn.size());
                        int from = p * drawn.capacity();
                        memory.context().device().upload(at, drawn.words(), from, drawn.size());
                    }
                }
            } catch (GpuException e) {
                giveBack(e, room);
                throw e;
            }
            this.verdicts = room;
        }
    }

    private void giveBack(GpuException e, long room) {
        try {
            memory.free(words, wordBytes, epoch);
            if (room != 0) {
                memory.free(room, 4L * count, epoch);
            }
        } catch (GpuException alsoFailed) {
            e.addSuppressed(alsoFailed);
        }
    }

    /** Number of headers. */
    public int count() {
        return count;
    }

    /** Address of the headers: word w of header i is the int at w * {@link #count} + i. */
    public long words() {
        return words;
    }

    /** Address of the verdicts, an int each. */
    public long verdicts() {
        return verdicts;
    }

    /**
     * Throws if they went with a failure of the device.
     *
     * @throws GpuException if they did
     */
    public void requireThere() {
        memory.context().requireOpen();
        if (epoch != memory.context().epoch()) {
            throw new GpuException(0, "the headers went with the device's last failure");
        }
    }

    /** Gives the memory back; no kernel may read it. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            memory.free(words, wordBytes, epoch);
            memory.free(verdicts, 4L * count, epoch);
        }
    }
}
