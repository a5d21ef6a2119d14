package dev.sluice.engine.gpu.driver;

import dev.sluice.engine.lookup.LaunchShape;
import java.nio.IntBuffer;

/**
 * Calls of the engine to the CUDA driver. Tests put another one in its place. All methods may be
 * called from any thread, and throw {@link GpuException} where the driver reports a failure.
 */
public interface GpuDriver {
    /**
     * A device.
     *
     * @param name as the driver gives it
     * @param architecture compute capability, 90 for 9.0
     * @param multiprocessors number of them
     * @param memoryBytes device memory
     * @param cacheBytes second-level cache
     * @param driverVersion newest CUDA version that the driver knows, 12060 for 12.6
     */
    record Info(
            String name,
            int architecture,
            int multiprocessors,
            long memoryBytes,
            int cacheBytes,
            int driverVersion) {
        /** The CUDA version as it is written. */
        public String cuda() {
            return driverVersion / 1000 + "." + driverVersion % 1000 / 10;
        }
    }

    /** Host memory that a device reads and writes without a detour. */
    interface Pinned {
        /** The memory, as the host sees it. */
        IntBuffer words();

        /** Its address for kernels. */
        long deviceAddress();
    }

    /** A queue of copies and kernels that a device does in order. */
    interface Stream {}

    /** A place in a stream that can be waited for. */
    interface Event {}

    /** Number of devices. */
    int devices();

    /** Describes a device. */
    Info info(int device);

    /** Opens a device: a context of our own, with the kernels loaded. */
    Device open(int device);

    /**
     * A kernel's name and its arguments.
     *
     * @param shape how it is launched
     * @param parameters words that the kernel takes as its last argument, empty for none; read at
     *     each {@link Launch#run}, so that who runs it may write others there before
     */
    record Call(
            String kernel,
            LaunchShape shape,
            long image,
            long headers,
            long verdicts,
            int[] parameters) {
        /** The same call with other memory for headers and verdicts. */
        public Call on(long otherHeaders, long otherVerdicts) {
            return new Call(kernel, shape, image, otherHeaders, otherVerdicts, parameters);
        }
    }

    /** A kernel with its arguments, to be launched any number of times, by one thread at a time. */
    interface Launch {
        /**
         * Queues the kernel.
         *
         * @param stride distance of two words of a header, in words
         * @param count headers
         */
        void run(int stride, int count, Stream stream);
    }

    /** An open device. */
    interface Device {
        /**
         * Takes device memory, which may wait for all kernels there.
         *
         * @return its address
         */
        long allocate(long bytes);

        /** Gives device memory back, which may wait for all kernels there. */
        void free(long address);

        /** Takes pinned host memory that kernels may read and write. */
        Pinned allocatePinned(int words);

        /** Gives pinned memory back. */
        void freePinned(Pinned memory);

        /** Copies words in; returns when they are on the device, where any stream sees them. */
        void upload(long to, int[] words, int from, int count);

        /** Writes 0 to words; returns when they are written, for any stream. */
        void clear(long address, long words);

        /** Copies words out; returns when they are there. */
        void download(int[] words, int from, int count, long device);

        /** Queues a copy from pinned memory. */
        void copyIn(long to, Pinned from, long bytes, Stream stream);

        /** Queues a copy to pinned memory. */
        void copyOut(Pinned to, long from, long bytes, Stream stream);

        /** Opens a stream that waits for no other. */
        Stream stream();

        /**
         * Opens a stream that waits for no other, and whose kernels go before those of other
         * streams where the device has both to choose from.
         */
        Stream urgentStream();

        /** Gives a stream back. */
        void destroyStream(Stream stream);

        /** Waits for all that was queued. */
        void await(Stream stream);

        /** Returns whether all that was queued is done; throws if it failed. Does not wait. */
        boolean idle(Stream stream);

        /** Makes an event. */
        Event event();

        /** Gives an event back. */
        void destroyEvent(Event event);

        /** Puts an event behind all that was queued. */
        void record(Event event, Stream stream);

        /** Waits for all that was queued before an event. */
        void await(Event event);

        /**
         * Lets what is queued on a stream from now on wait, on the device, for all that was queued
         * before an event when it was last recorded. An event that was never recorded is not waited
         * for. The host does not wait.
         */
        void follow(Stream stream, Event event);

        /** A kernel with its arguments. */
        Launch prepare(Call call);

        /**
         * Sectors of 32 bytes that the look-ups of a launch read, by the counting form of a kernel;
         * waits.
         *
         * @throws GpuException also if the kernel has no counting form
         */
        long sectors(Call call, int stride, int count);

        /**
         * Milliseconds between what was queued on a stream before and the end of what is queued
         * now, by the device's clock.
         *
         * @param ahead queues what keeps the stream busy until all that is timed is queued, or
         *     nothing: the time that the host needs to queue is in it then
         * @param timed queues what is timed
         */
        float time(Runnable ahead, Runnable timed, Stream stream);

        /** Closes the device; all memory there was given back before. */
        void close();

        /** Gives up a device that failed, with all that is open there. */
        void abandon();
    }
}
