package dev.sluice.lab.generate;

/**
 * Numbers of masks and fields of {@link RuleShape#CLASSES}.
 *
 * @param masks C, distinct masks
 * @param full F, masks that share all rules but one for each other mask
 * @param fields 5 or 12
 */
public record MaskCounts(int masks, int full, int fields) {}
