! petrel: an emulator of a physics scheme (two layers), data parallel over MPI, for column data kept in records with a sum each
module petrel_mod
  use mpi_f08
  use iso_c_binding
  use iso_fortran_env, only: error_unit, output_unit, int32, int64
  use ieee_arithmetic, only: ieee_is_finite
  implicit none
  integer, parameter :: nin = 48, nout = 16
  integer :: pe, npes
  character(len=MPI_MAX_PROCESSOR_NAME) :: host
  ! namelist
  integer :: steps = 50, batch = 24, hidden = 64, steps_per_pass = 20, history_every = 10, restart_every = 15, seed = 1, pad_ms = 140, history_kb = 400, keep_kb = 0
  real :: learning_rate = 0.02, comm_limit = 15.0
  character(len=128) :: data_dir = '/mnt/local/data', history_dir = '/mnt/local/snapshots', restart_dir = '/mnt/dfs/ckpt', initial_restart = ''
  namelist /train_nml/ steps, batch, hidden, steps_per_pass, history_every, restart_every, seed, pad_ms, history_kb, keep_kb, learning_rate, comm_limit, data_dir, history_dir, restart_dir, initial_restart
  logical :: count_energy = .true.
  namelist /platform_nml/ count_energy
  type kept
    real, allocatable :: a(:)
  end type
  type(kept), allocatable :: memory(:)      ! of past steps, for the sensitivity at the end
  real, allocatable :: w1(:,:), b1(:), w2(:,:), b2(:), grad(:), velocity(:)
  interface
    integer(c_int) function usleep(us) bind(c)
      import c_int
      integer(c_int), value :: us
    end function
  end interface
contains
  function stamp() result(s)
    character(len=23) :: s
    integer :: v(8)
    call date_and_time(values=v)
    write (s, '(i4.4,"-",i2.2,"-",i2.2,1x,i2.2,":",i2.2,":",i2.2,".",i3.3)') v(1:3), v(5:8)
  end function

  subroutine note(level, text)
    character(len=*), intent(in) :: level, text
    write (output_unit, '(a,"  PE",i5," @ ",a,": ",a,": ",a)') stamp(), pe, trim(host), level, trim(text)
    flush (output_unit)
  end subroutine

  subroutine fatal(text, code)
    character(len=*), intent(in) :: text
    integer, intent(in) :: code
    write (error_unit, '(a,"  PE",i5," @ ",a,": FATAL: ",a)') stamp(), pe, trim(host), trim(text)
    flush (error_unit)
    call MPI_Abort(MPI_COMM_WORLD, code)
  end subroutine

  subroutine feed(stage, k)
    character(len=*), intent(in) :: stage
    integer, intent(in) :: k
    character(len=40) :: f
    integer :: u
    write (f, '("/run/rr/rank-",i0)') pe
    open (newunit=u, file=f, action='write', status='replace')
    write (u, '(a,1x,i0," step")') stage, k
    close (u)
  end subroutine

  ! waits for a request; after comm_limit seconds the run ends
  subroutine finish(req, what, k)
    type(MPI_Request), intent(inout) :: req
    character(len=*), intent(in) :: what
    integer, intent(in) :: k
    double precision :: t0
    logical :: done
    character(len=160) :: text
    integer :: ignore
    t0 = MPI_Wtime()
    do
      call MPI_Test(req, done, MPI_STATUS_IGNORE)
      if (done) return
      if (MPI_Wtime() - t0 > comm_limit) then
        write (text, '(a," not complete after ",f0.1," s (step ",i0,")")') what, comm_limit, k
        call fatal(text, 17)
      end if
      ignore = usleep(400)
    end do
  end subroutine

  subroutine all_sum(x, what, k)
    real, intent(inout), asynchronous, contiguous :: x(:)
    character(len=*), intent(in) :: what
    integer, intent(in) :: k
    type(MPI_Request) :: req
    call MPI_Iallreduce(MPI_IN_PLACE, x, size(x), MPI_REAL, MPI_SUM, MPI_COMM_WORLD, req)
    call finish(req, what, k)
  end subroutine

  subroutine read_namelists()
    integer :: u, ios
    character(len=200) :: msg
    open (newunit=u, file='petrel.nml', action='read', status='old')
    read (u, nml=train_nml)
    rewind (u)
    read (u, nml=platform_nml, iostat=ios, iomsg=msg)
    if (ios /= 0 .and. pe == 0) call note('WARNING', 'namelist group platform_nml cannot be read ('//trim(msg)//'), defaults are used')
    close (u)
  end subroutine

  subroutine init_weights()
    integer :: n, u, k
    integer, allocatable :: s(:)
    allocate (w1(hidden, nin), b1(hidden), w2(nout, hidden), b2(nout))
    call random_seed(size=n)
    allocate (s(n))
    s = seed + [(37*k, k=1, n)]
    call random_seed(put=s)
    call random_number(w1); call random_number(w2)
    w1 = (w1 - 0.5)*0.3; w2 = (w2 - 0.5)*0.3; b1 = 0; b2 = 0
    n = size(w1) + size(b1) + size(w2) + size(b2)
    allocate (grad(n + 1), velocity(n))
    velocity = 0
    if (len_trim(initial_restart) > 0) then
      open (newunit=u, file=initial_restart, form='unformatted', action='read', status='old')
      read (u) k
      read (u) w1, b1, w2, b2
      read (u) velocity
      close (u)
      call note('INFO', 'weights read from '//trim(initial_restart))
    end if
  end subroutine

  ! the records of this PE for a step: nin inputs, nout targets, and the sum of their bits
  subroutine read_batch(k, x, y)
    integer, intent(in) :: k
    real, intent(out) :: x(:,:), y(:,:)
    integer :: u, i, rec, nrec, want, got
    character(len=200) :: f, text
    real :: r(nin + nout)
    write (f, '(a,"/columns.",i3.3,".bin")') trim(data_dir), mod((k - 1)/10, 8)
    open (newunit=u, file=f, form='unformatted', access='stream', action='read', status='old')
    read (u) nrec
    do i = 1, batch
      rec = mod((mod(k - 1, 10)*npes + pe)*batch + i - 1, nrec)
      read (u, pos=5 + rec*4*(nin + nout + 1)) r, want
      got = checksum(r)
      if (got /= want) then
        write (text, '("record ",i0," of ",a,": checksum ",z8.8,", expected ",z8.8," (step ",i0,")")') rec, trim(f), got, want, k
        call fatal(text, 5)
      end if
      x(:, i) = r(:nin); y(:, i) = r(nin + 1:)
    end do
    close (u)
  end subroutine

  integer function checksum(r)
    real, intent(in) :: r(:)
    integer :: i
    checksum = 0
    do i = 1, size(r)
      checksum = ieor(ishftc(checksum, 5), transfer(r(i), 1))
    end do
  end function

  real function gradients(x, y) result(loss)
    real, intent(in) :: x(:,:), y(:,:)
    real :: h(hidden), o(nout), dh(hidden)
    real :: g1(hidden, nin), c1(hidden), g2(nout, hidden), c2(nout)
    integer :: i, a
    g1 = 0; c1 = 0; g2 = 0; c2 = 0; loss = 0
    do i = 1, size(x, 2)
      h = tanh(matmul(w1, x(:, i)) + b1)
      o = matmul(w2, h) + b2 - y(:, i)
      loss = loss + sum(o*o)/size(x, 2)
      dh = matmul(o, w2)*(1 - h*h)
      do a = 1, hidden
        g2(:, a) = g2(:, a) + o*h(a)/size(x, 2)
      end do
      c2 = c2 + o/size(x, 2)
      do a = 1, nin
        g1(:, a) = g1(:, a) + dh*x(a, i)/size(x, 2)
      end do
      c1 = c1 + dh/size(x, 2)
    end do
    grad = [reshape(g1, [size(g1)]), c1, reshape(g2, [size(g2)]), c2, loss]
  end function

  subroutine update()
    integer :: a, b
    velocity = 0.9*velocity - learning_rate*grad(:size(velocity))
    a = 0
    b = size(w1); w1 = w1 + reshape(velocity(a + 1:a + b), shape(w1)); a = a + b
    b = size(b1); b1 = b1 + velocity(a + 1:a + b); a = a + b
    b = size(w2); w2 = w2 + reshape(velocity(a + 1:a + b), shape(w2)); a = a + b
    b2 = b2 + velocity(a + 1:a + size(b2))
  end subroutine

  subroutine write_history(k)
    integer, intent(in) :: k
    integer :: u
    character(len=200) :: f, text
    real :: block(256)
    integer :: i
    write (f, '(a,"/history.",i4.4,".",i4.4,".bin")') trim(history_dir), k, pe
    open (newunit=u, file=f, form='unformatted', access='stream', action='write', status='replace')
    block = w1(1, 1)
    do i = 1, history_kb
      write (u) block
    end do
    close (u)
    inquire (file=f, size=i)
    if (i /= history_kb*1024) then
      write (text, '("history file ",a," has ",i0," bytes, ",i0," were written (step ",i0,")")') trim(f), i, history_kb*1024, k
      call fatal(text, 6)
    end if
  end subroutine

  subroutine write_restart(k)
    integer, intent(in) :: k
    integer :: u
    character(len=200) :: f
    type(MPI_Request) :: req
    if (pe == 0) then
      write (f, '(a,"/restart.",i4.4)') trim(restart_dir), k
      open (newunit=u, file=f, form='unformatted', action='write', status='replace')
      write (u) k
      write (u) w1, b1, w2, b2
      write (u) velocity
      close (u)
      open (newunit=u, file=trim(restart_dir)//'/rpointer', action='write', status='replace')
      write (u, '(i0)') k
      close (u)
      call note('INFO', 'restart file '//trim(f)//' written')
    end if
    call MPI_Ibarrier(MPI_COMM_WORLD, req)
    call finish(req, 'barrier after the restart file', k)
  end subroutine

  integer function resume() result(k)
    integer :: u, ios
    character(len=200) :: f
    k = 0
    open (newunit=u, file=trim(restart_dir)//'/rpointer', action='read', status='old', iostat=ios)
    if (ios /= 0) return
    read (u, *) k
    close (u)
    write (f, '(a,"/restart.",i4.4)') trim(restart_dir), k
    open (newunit=u, file=f, form='unformatted', action='read', status='old')
    read (u) k
    read (u) w1, b1, w2, b2
    read (u) velocity
    close (u)
    if (pe == 0) call note('INFO', 'continued from '//trim(f))
  end function
end module

program petrel
  use petrel_mod
  implicit none
  integer :: k, u, ios, ignore, v(8), uj
  real, allocatable :: x(:,:), y(:,:)
  real :: loss, gnorm
  double precision :: t0, t1, t2, t3
  character(len=200) :: text
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, pe)
  call MPI_Comm_size(MPI_COMM_WORLD, npes)
  call MPI_Get_processor_name(host, ignore)
  call feed('init', 0)
  call read_namelists()
  if (pe == 0) then
    write (output_unit, '(/,a,/,a,i0,a,/)') ' petrel 3.1: radiation emulator', ' running on ', npes, ' PEs'
    write (output_unit, nml=train_nml)
    flush (output_unit)
  end if
  if (count_energy) then
    open (newunit=uj, file='/sys/class/powercap/intel-rapl:0/energy_uj', action='read', status='old', iostat=ios, iomsg=text)
    if (ios /= 0 .and. mod(pe, 2) == 0) call note('WARNING', 'energy is not counted: '//text)
    if (ios == 0) close (uj)
  end if
  call init_weights()
  k = resume()
  allocate (x(nin, batch), y(nout, batch), memory(steps))
  do while (k < steps)
    k = k + 1
    call feed('iter', k)
    t0 = MPI_Wtime()
    call read_batch(k, x, y)
    t1 = MPI_Wtime()
    loss = gradients(x, y)
    ignore = usleep(pad_ms*1000)
    t2 = MPI_Wtime()
    call all_sum(grad, 'sum of gradients', k)
    t3 = MPI_Wtime()
    grad = grad/npes
    gnorm = sqrt(sum(grad(:size(velocity))**2))
    if (.not. ieee_is_finite(gnorm)) then
      write (text, '("gradient norm is ",g0.4," in step ",i0,", loss ",g0.4)') gnorm, k, grad(size(grad))
      call fatal(text, 9)
    end if
    call update()
    if (keep_kb > 0) then
      allocate (memory(k)%a(keep_kb*256))
      memory(k)%a = x(1, 1)
    end if
    if (pe == 0) then
      if (mod(k, steps_per_pass) == 1) write (output_unit, '(a,i4,a)') ' ---- pass', (k - 1)/steps_per_pass + 1, '  '//stamp()//' ----'
      write (output_unit, '(i7,"/",i0,2(2x,es11.4),2x,f8.3," s  [",3f8.3," ]")') k, steps, grad(size(grad)), gnorm, t3 - t0, t1 - t0, t2 - t1, t3 - t2
      flush (output_unit)
    end if
    if (mod(k, history_every) == 0) then
      call write_history(k)
      if (pe > 0) then
        write (text, '("step ",i0," done, history written")') k
        call note('INFO', text)
      end if
    end if
    if (mod(k, restart_every) == 0 .or. k == steps) call write_restart(k)
  end do
  if (pe == 0) call note('INFO', 'normal end')
  call MPI_Finalize()
end program
