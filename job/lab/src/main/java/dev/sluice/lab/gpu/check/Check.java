package dev.sluice.lab.gpu.check;

import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.schemas.header.HeaderWord;

/** Something that a GPU must get right. */
interface Check {
    /** Batches that checks have under way at once. */
    int IN_FLIGHT = 4;

    /** Most headers of a batch. */
    int MOST_HEADERS = 65_536;

    /** Opens a device that every check can use. */
    static GpuDevice device(GpuDriver driver, int number) {
        return new GpuDevice(driver, number, IN_FLIGHT, MOST_HEADERS, HeaderWord.COUNT);
    }

    /**
     * Runs it.
     *
     * @param findings counts what this check compared; new for each check
     * @return one line that says what was checked and how many verdicts are wrong
     * @throws IllegalStateException if the CPU answered in the device's place, or the device did
     *     not come back
     */
    String run(Findings findings) throws InterruptedException;
}
