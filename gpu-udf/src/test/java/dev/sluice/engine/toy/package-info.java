/**
 * An algorithm that the engine does not ship, to show and to test what adding one takes: linear
 * search that skips blocks of sixteen rules by the bits of the first header word that all of a
 * block ask for.
 *
 * <p>{@link dev.sluice.engine.toy.ToyAlgorithm} is one line of a service file ({@code
 * src/test/toy}), its look-up for the GPU is {@code src/test/cuda/toy.cuh}. No other file names it;
 * every test over all algorithms, on the CPU and through the host build of the kernels, finds it in
 * the registry. {@link dev.sluice.engine.toy.ToyOfTheCpu} is the same without a look-up for the
 * GPU.
 */
package dev.sluice.engine.toy;
