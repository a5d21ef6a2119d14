package dev.sluice.engine.choice;

import dev.sluice.engine.choice.Compiled.ForDevice;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Choice of the image that a device looks into, by measuring there: the images that were compiled
 * to choose for the CPU, and the other candidates on a part of the rules, of which the best are
 * compiled for all. Where the CPU's own image is about as fast as the best one, the device takes
 * that. A device that fails meanwhile takes it, too.
 *
 * @param budgetBytes most bytes of both images
 */
record DeviceChoice(GpuPool.Use device, long budgetBytes) {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceChoice.class);

    /** Rules are compiled so often for the device alone, at most. */
    private static final int MOST_BUILDS = 2;

    /**
     * A second image costs memory, and a build with every new base: it has to be so much faster. A
     * device's clock gives a rate again within some hundredths.
     */
    private static final double CLEARLY = 1.05;

    /**
     * Chooses for rules that were compiled for the CPU.
     *
     * @param attempts what was compiled of them
     * @param part what was compiled of a part of them, null where there is none
     * @param candidates to choose from, beside the CPU's choice
     * @return the CPU's choice with what was found on the device
     */
    Compiled choose(
            Compiled onCpu,
            Attempts attempts,
            @Nullable Attempts part,
            List<Algorithm> candidates) {
        Image own = onCpu.classifier().image();
        try (DeviceRates rates = new DeviceRates(device)) {
            double ownRate = rates.rates(attempts.rules(), List.of(onCpu.classifier()))[0];
            List<Algorithm> others =
                    candidates.stream().filter(c -> !c.equals(onCpu.algorithm())).toList();
            long left = Math.max(1, budgetBytes - own.bytes());
            Calibration.Outcome found =
                    new Calibration(attempts, part, rates, MOST_BUILDS, Double.MAX_VALUE, left)
                            .fastest(others, CLEARLY * ownRate);
            List<String> measured = new ArrayList<>();
            if (ownRate > 0) {
                measured.add(onCpu.algorithm().label() + " " + rates.text(ownRate));
            }
            measured.addAll(found.measured());
            Classifier fastest = found.fastest();
            if (fastest != null
                    && found.rate() > CLEARLY * ownRate
                    && fastest.layout().equals(onCpu.classifier().layout())) {
                return onCpu.with(new ForDevice(fastest.image(), explained(fastest, measured)));
            }
            return ownRate > 0
                    ? onCpu.with(new ForDevice(own, explained(onCpu.classifier(), measured)))
                    : onCpu;
        } catch (GpuException e) {
            LOG.warn(
                    "device {} failed while algorithms were measured there: {}; it gets {}, the"
                            + " CPU's choice",
                    device.device().context().number(),
                    e.getMessage(),
                    onCpu.algorithm().label());
            device.revive();
            return onCpu;
        }
    }

    private String explained(Classifier chosen, List<String> measured) {
        return "on device %d %s: measured there, G headers/s: %s"
                .formatted(
                        device.device().context().number(),
                        Algorithm.ofCode(chosen.image().algorithm()).label(),
                        String.join(", ", measured));
    }
}
