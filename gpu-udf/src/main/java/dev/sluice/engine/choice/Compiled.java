package dev.sluice.engine.choice;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import org.jspecify.annotations.Nullable;

/**
 * A compiled rule set and why it was compiled so.
 *
 * @param explanation one readable line
 * @param forDevice choice for a device, null where nothing was measured there
 */
public record Compiled(Classifier classifier, String explanation, @Nullable ForDevice forDevice) {
    /**
     * Choice for a device.
     *
     * @param image the CPU's own where that is best, too
     * @param explanation a phrase
     */
    public record ForDevice(Image image, String explanation) {}

    /** A compiled rule set of which nothing was measured on a device. */
    Compiled(Classifier classifier, String explanation) {
        this(classifier, explanation, null);
    }

    /** The same with a choice for a device. */
    Compiled with(@Nullable ForDevice choice) {
        return new Compiled(classifier, explanation, choice);
    }

    /** The algorithm of the CPU. */
    public Algorithm algorithm() {
        return Algorithm.ofCode(classifier.image().algorithm());
    }

    /** Image that a device looks into: the CPU's, or another one of the same rules. */
    public Image deviceImage() {
        return forDevice == null ? classifier.image() : forDevice.image();
    }

    /** The algorithm of a device. */
    public Algorithm deviceAlgorithm() {
        return Algorithm.ofCode(deviceImage().algorithm());
    }

    /** Why the rules were compiled so, for the CPU and for a device. */
    public String explanationOnDevice() {
        return forDevice == null
                ? explanation
                : "on the CPU " + explanation + "; " + forDevice.explanation();
    }
}
