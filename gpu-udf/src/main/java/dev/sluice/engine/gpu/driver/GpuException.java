package dev.sluice.engine.gpu.driver;

/** A call to the driver failed, or there is no driver to call. */
public final class GpuException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The driver's code for memory that is not there: of the device, or pinned on the host. */
    public static final int OUT_OF_MEMORY = 2;

    private final int code;

    /**
     * A failure.
     *
     * @param code the driver's result code, 0 where the driver was not reached
     * @param message what failed, and what can be done about it
     */
    public GpuException(int code, String message) {
        super(message);
        this.code = code;
    }

    /**
     * A failure that another one brought about.
     *
     * @param code the driver's result code, 0 where the driver was not reached
     * @param message what failed, and what can be done about it
     */
    public GpuException(int code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** The driver's result code, 0 where the driver was not reached. */
    public int code() {
        return code;
    }

    /** Returns whether memory was short. */
    public boolean isOutOfMemory() {
        return code == OUT_OF_MEMORY;
    }
}
